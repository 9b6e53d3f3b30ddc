package io.millrace.auth;

import io.millrace.auth.AuthException.Code;
import io.millrace.auth.Authentication.Signed;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verifies URLs presigned with version 2. They have an end and no beginning, and S3 sets no limit to how far off that end
 * is.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/RESTAuthentication.html">Query string request
 *     authentication</a>
 */
final class V2Query {
    private static final String HMAC = "HmacSHA1";
    /** Enough for some ten thousand years; more is no time. */
    private static final Pattern EPOCH_SECONDS = Pattern.compile("[0-9]{1,12}");

    private final boolean served;
    private final Identities identities;

    V2Query(boolean served, Identities identities) {
        this.served = served;
        this.identities = identities;
    }

    /** Verifies {@code request}, whose query has {@code parameters}. */
    Signed verify(SignedRequest request, AuthParameters parameters, Instant now) throws AuthException {
        if (!served) {
            throw new AuthException(
                    Code.INVALID_REQUEST,
                    "Signature Version 2 is turned off here. Presign with Version 4 (boto3:"
                            + " Config(signature_version='s3v4'); aws-cli 1: s3.signature_version = s3v4).");
        }
        String accessKey = parameters.require(AuthParameter.V2_ACCESS_KEY);
        String claimed = parameters.require(AuthParameter.V2_SIGNATURE);
        String expires = parameters.require(AuthParameter.V2_EXPIRES);
        Instant end = end(expires);
        if (now.isAfter(end)) {
            throw Expired.at(end, now);
        }
        String stated = SingleHeader.find(request, Payload.HEADER);
        PayloadForm payload = stated == null
                ? PayloadForm.UNSIGNED
                : Payload.statedForUrl(stated).form();
        Principal principal = prove(V2StringToSign.of(request, expires), accessKey, claimed);
        return new Signed(principal, Scheme.V2_QUERY, payload, now, Optional.empty());
    }

    private Principal prove(String stringToSign, String accessKey, String claimed) throws AuthException {
        Credential credential = identities.find(accessKey);
        boolean right = V4Signature.isEqual(signature(credential.secret(), stringToSign), claimed);
        if (!right || credential.isUnknown()) {
            AuthException mismatch = Mismatch.of(accessKey, stringToSign);
            throw credential.isUnknown() ? Mismatch.unknown(accessKey) : mismatch;
        }
        return credential.principal();
    }

    private static Instant end(String expires) throws AuthException {
        if (!EPOCH_SECONDS.matcher(expires).matches()) {
            throw AuthParameter.V2_EXPIRES.malformed("Expires must be seconds since 1970.");
        }
        return Instant.ofEpochSecond(Long.parseLong(expires));
    }

    private static String signature(String secret, String stringToSign) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), HMAC));
            return Base64.getEncoder().encodeToString(mac.doFinal(stringToSign.getBytes(StandardCharsets.ISO_8859_1)));
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every JDK has HMAC with SHA-1 and takes any key for it", e);
        }
    }
}
