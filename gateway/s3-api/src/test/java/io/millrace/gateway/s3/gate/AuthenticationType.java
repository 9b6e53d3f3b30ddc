package io.millrace.gateway.s3.gate;

import io.millrace.auth.AmzTimestamp;
import io.millrace.auth.CredentialScope;
import io.millrace.auth.PayloadType;
import io.millrace.auth.SigningKey;
import io.millrace.auth.UriEncoding;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.config.Secret;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The kinds of authentication of a request, supported or not. */
enum AuthenticationType {
    /** No authentication: the parameters of V4_QUERY without the signature. */
    NONE(false, claim -> presigned(claim).withoutParameter("X-Amz-Signature")),
    V2_QUERY(true, AuthenticationType::version2Query),
    V2_HEADER(false, claim -> SignatureProof.header("AWS " + claim.accessKey() + ":" + version2(claim, ""))),
    V4_HEADER(true, claim -> signed(claim, PayloadType.UNSIGNED)),
    V4_QUERY(true, AuthenticationType::presigned),
    SIGNED_STREAM(true, claim -> signed(claim, new PayloadType.SignedChunks(false))),
    SIGNED_STREAM_WITH_TRAILER(true, claim -> signed(claim, new PayloadType.SignedChunks(true))),
    UNSIGNED_STREAM_WITH_TRAILER(true, claim -> signed(claim, new PayloadType.UnsignedChunksWithTrailer())),
    /** S3 has no such value, though the name is plausible. */
    UNSIGNED_STREAM(
            false,
            claim -> signed(claim, PayloadType.UNSIGNED).with("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD")),
    POST_FORM(false, AuthenticationType::form),
    JWT(false, claim -> SignatureProof.header("Bearer " + token(claim))),
    STS(false, AuthenticationType::session),
    BASIC(false, claim -> SignatureProof.header("Basic " + base64(claim.accessKey() + ":" + claim.secretKey()))),
    V4_ASYMMETRIC(false, AuthenticationType::asymmetric);

    private final boolean served;

    @SuppressWarnings("ImmutableEnumChecker") // method references and lambdas that hold nothing
    private final Function<ClaimedIdentity, SignatureProof> prove;

    AuthenticationType(boolean served, Function<ClaimedIdentity, SignatureProof> prove) {
        this.served = served;
        this.prove = prove;
    }

    /** Returns whether requests with this kind of authentication are supported. */
    boolean isServed() {
        return served;
    }

    /** Returns the headers and parameters that authenticate the claim. */
    SignatureProof prove(ClaimedIdentity claim) {
        return prove.apply(claim);
    }

    private static SignatureProof signed(ClaimedIdentity claim, PayloadType payload) {
        return new SignatureProof(
                List.of(), signer(claim).sign(claim.uri(), claim.method(), Map.of(), payload, claim.at()));
    }

    private static SignatureProof presigned(ClaimedIdentity claim) {
        URI uri = signer(claim).presign(claim.uri(), claim.method(), ClaimedIdentity.VALIDITY, claim.at());
        List<String> all = Arrays.asList(uri.getRawQuery().split("&"));
        return new SignatureProof(all.subList(all.size() - 6, all.size()), Map.of());
    }

    private static SignatureProof session(ClaimedIdentity claim) {
        Map<String, String> token = Map.of("x-amz-security-token", token(claim));
        return new SignatureProof(
                        List.of(),
                        signer(claim).sign(claim.uri(), claim.method(), token, PayloadType.UNSIGNED, claim.at()))
                .with("x-amz-security-token", token(claim));
    }

    private static SignatureProof version2Query(ClaimedIdentity claim) {
        String expires = Long.toString(claim.at().plus(ClaimedIdentity.VALIDITY).getEpochSecond());
        return new SignatureProof(
                List.of(
                        "AWSAccessKeyId=" + claim.accessKey(),
                        "Expires=" + expires,
                        "Signature=" + UriEncoding.ofQuery(version2(claim, expires))),
                Map.of());
    }

    /** Signs by version 2, which covers only those routing parameters that name a sub-resource. */
    private static String version2(ClaimedIdentity claim, String expires) {
        String resource = claim.target().replace("?list-type=2", "");
        String text = claim.method() + "\n\n\n" + expires + "\n" + resource;
        return Base64.getEncoder().encodeToString(hmac("HmacSHA1", claim.secretKey(), text));
    }

    private static SignatureProof form(ClaimedIdentity claim) {
        CredentialScope scope = scope(claim);
        String policy =
                base64("{\"expiration\":\"" + claim.at().plus(ClaimedIdentity.VALIDITY) + "\",\"conditions\":[]}");
        return new SignatureProof(
                List.of(
                        "policy=" + UriEncoding.ofQuery(policy),
                        "X-Amz-Algorithm=AWS4-HMAC-SHA256",
                        "X-Amz-Credential=" + UriEncoding.ofQuery(claim.accessKey() + "/" + scope.text()),
                        "X-Amz-Date=" + AmzTimestamp.format(claim.at()),
                        "X-Amz-Signature="
                                + SigningKey.derive(claim.secretKey(), scope).sign(policy)),
                Map.of());
    }

    private static SignatureProof asymmetric(ClaimedIdentity claim) {
        SignatureProof symmetric = signed(claim, PayloadType.UNSIGNED).with("x-amz-region-set", "*");
        String authorization = symmetric.headers().getOrDefault("authorization", "");
        return symmetric.with("authorization", authorization.replace("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256"));
    }

    private static String token(ClaimedIdentity claim) {
        String claims = "{\"sub\":\"%s\",\"exp\":%d}"
                .formatted(
                        claim.accessKey(), claim.at().plus(Duration.ofHours(1)).getEpochSecond());
        String signed = base64("{\"alg\":\"HS256\"}") + "." + base64(claims);
        return signed + "." + Base64.getUrlEncoder().encodeToString(hmac("HmacSHA256", claim.secretKey(), signed));
    }

    private static RequestSigner signer(ClaimedIdentity claim) {
        return new RequestSigner(claim.accessKey(), Secret.of(claim.secretKey()), "us-east-1");
    }

    private static CredentialScope scope(ClaimedIdentity claim) {
        return new CredentialScope(AmzTimestamp.date(AmzTimestamp.format(claim.at())), "us-east-1", "s3");
    }

    private static String base64(String text) {
        return Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] hmac(String algorithm, String key, String text) {
        try {
            Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), algorithm));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
