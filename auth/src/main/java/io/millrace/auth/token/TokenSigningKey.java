package io.millrace.auth.token;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The key that signs {@link BearerTokens}: another one than any of version 4, and none leads to the other. */
final class TokenSigningKey {
    private static final String ALGORITHM = "HmacSHA256";

    /** No key of version 4 is derived with this text. */
    private static final byte[] PURPOSE = "millrace bearer token 1".getBytes(StandardCharsets.US_ASCII);

    private TokenSigningKey() {}

    /** 32 bytes. */
    static byte[] of(String secret) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            return mac.doFinal(PURPOSE);
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every JDK has HMAC with SHA-256 and takes any key for it", e);
        }
    }
}
