package io.millrace.auth.token;

import java.nio.charset.StandardCharsets;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Derives the key that signs {@link BearerTokens} from a secret key. It is independent of SigV4's signing keys. */
final class TokenSigningKeyDerivation {
    private static final String ALGORITHM = "HmacSHA256";

    /** Purpose of the key; no SigV4 key is derived with this text. */
    private static final byte[] PURPOSE = "millrace bearer token 1".getBytes(StandardCharsets.US_ASCII);

    private TokenSigningKeyDerivation() {}

    /** Returns the signing key of {@code secret}, 32 bytes. */
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
