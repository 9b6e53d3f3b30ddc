package io.millrace.auth.signature;

import io.millrace.auth.Credential;
import io.millrace.auth.RequestVerificationException;
import io.millrace.auth.session.CredentialFinder;
import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Compares a Signature Version 2 with the expected one: HMAC-SHA1 keyed with the secret key, in Base64. */
record V2SignatureCheck(CredentialFinder credentials) {
    private static final String HMAC = "HmacSHA1";

    /**
     * Returns the credential of {@code accessKey} if {@code claimed} is its signature of {@code stringToSign}.
     *
     * @param stringToSign one char per byte
     */
    Credential prove(String stringToSign, String accessKey, String claimed) throws RequestVerificationException {
        Credential credential = credentials.find(accessKey, null);
        boolean right = V4SignatureCheck.isEqual(signature(credential.secret(), stringToSign), claimed);
        if (!right || credential.isUnknown()) {
            RequestVerificationException mismatch = FailedSignatureErrors.of(accessKey, stringToSign);
            throw credential.isUnknown() ? FailedSignatureErrors.unknown(accessKey) : mismatch;
        }
        return credential;
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
