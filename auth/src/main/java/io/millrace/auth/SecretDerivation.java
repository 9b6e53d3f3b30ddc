package io.millrace.auth;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Derives keys and fingerprints for other purposes from a secret key. They reveal none of SigV4's signing keys. */
public final class SecretDerivation {
    private static final String ALGORITHM = "HmacSHA256";

    private SecretDerivation() {}

    /**
     * Returns the 32 bytes that {@code secret} has for a purpose.
     *
     * @param purpose a text that no SigV4 key is derived with: one that begins with {@code millrace}
     */
    public static byte[] of(String secret, String purpose) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            return mac.doFinal(purpose.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every JDK has HMAC with SHA-256 and takes any key for it", e);
        }
    }
}
