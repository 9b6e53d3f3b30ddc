package io.millrace.auth.signature;

import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.SignatureSettings;
import io.millrace.auth.policy.AllowRule;
import io.millrace.config.Secret;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Builds the fields of a browser's form for tests, by name in lower case. Each {@code with} method returns a copy. */
record Form(Map<String, String> fields) {
    static final String BUCKET = "sigv4examplebucket";
    static final String ACCESS_KEY = "AKIAIOSFODNN7EXAMPLE";
    static final String SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    static final Instant NOW = Instant.parse("2015-12-29T12:00:00Z");

    private static final String SCOPE = "20151229/us-east-1/s3/aws4_request";
    private static final String CREDENTIAL = ACCESS_KEY + '/' + SCOPE;
    private static final String DATE = "20151229T000000Z";

    /** Signed with version 4 for the key {@code a/b}; {@code conditions} follow those that it needs. */
    static Form signed(String... conditions) {
        StringBuilder all = new StringBuilder("""
                {"bucket": "%s"}, ["starts-with", "$key", "a/"], {"x-amz-credential": "%s"},
                {"x-amz-algorithm": "AWS4-HMAC-SHA256"}, {"x-amz-date": "%s"}\
                """.formatted(BUCKET, CREDENTIAL, DATE));
        for (String condition : conditions) {
            all.append(", ").append(condition);
        }
        return withPolicy(policy("2015-12-30T12:00:00.000Z", all.toString()));
    }

    /** Signed with version 4; {@code policy} may be any text. */
    static Form withPolicy(String policy) {
        return unsigned()
                .with("x-amz-algorithm", "AWS4-HMAC-SHA256")
                .with("x-amz-credential", CREDENTIAL)
                .with("x-amz-date", DATE)
                .with("policy", base64(policy))
                .signedAnew();
    }

    /** Signed with version 2, as boto3 does. */
    static Form version2(String... conditions) {
        String all = "{\"bucket\": \"" + BUCKET + "\"}, {\"key\": \"a/b\"}";
        for (String condition : conditions) {
            all += ", " + condition;
        }
        String policy = base64(policy("2015-12-30T12:00:00Z", all));
        byte[] signature = hmac("HmacSHA1", SECRET.getBytes(StandardCharsets.UTF_8), policy);
        return unsigned()
                .with("awsaccesskeyid", ACCESS_KEY)
                .with("policy", policy)
                .with("signature", Base64.getEncoder().encodeToString(signature));
    }

    static Form unsigned() {
        return new Form(Map.of("key", "a/b"));
    }

    String field(String name) {
        return fields.getOrDefault(name, "");
    }

    Form with(String name, String value) {
        Map<String, String> more = new TreeMap<>(fields);
        more.put(name, value);
        return new Form(more);
    }

    Form without(String name) {
        Map<String, String> fewer = new TreeMap<>(fields);
        fewer.remove(name);
        return new Form(fewer);
    }

    /** With the signature of version 4 that its policy has. */
    Form signedAnew() {
        byte[] key = ("AWS4" + SECRET).getBytes(StandardCharsets.UTF_8);
        for (String step : SCOPE.split("/", -1)) {
            key = hmac("HmacSHA256", key, step);
        }
        byte[] signature = hmac("HmacSHA256", key, field("policy"));
        return with("x-amz-signature", HexFormat.of().formatHex(signature));
    }

    UploadFormVerification verify() throws RequestVerificationException {
        return verify(NOW, BUCKET);
    }

    UploadFormVerification verify(Instant now, String bucket) throws RequestVerificationException {
        return verifier(now, SignatureSettings.defaults()).verify(fields, bucket);
    }

    static UploadFormVerifier verifier(Instant now, SignatureSettings settings) {
        IdentityRegistry identities = IdentityRegistry.of(List.of(
                new IdentitySettings("uploader", ACCESS_KEY, Secret.of(SECRET), List.of(AllowRule.parse("*")))));
        InstantSource clock = InstantSource.fixed(now);
        return new UploadFormVerifier(new RequestVerifier(identities, settings, clock), clock);
    }

    static SignatureSettings withoutVersion2() {
        return new SignatureSettings(false, Duration.ofMinutes(15));
    }

    static String policy(String expiration, String conditions) {
        return "{\"expiration\": \"" + expiration + "\", \"conditions\": [" + conditions + "]}";
    }

    static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static byte[] hmac(String algorithm, byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance(algorithm);
            mac.init(new SecretKeySpec(key, algorithm));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }
}
