package io.millrace.auth.session;

import io.millrace.backend.spi.checksum.HashDigest;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;

/**
 * The random values of a sign-in that has begun. The browser that began it holds them, sealed, until the provider sends
 * it back.
 *
 * @param state ties the provider's response to the browser
 * @param nonce ties the ID token to the sign-in
 * @param verifier ties the code to the sign-in (PKCE); only the token endpoint sees it
 */
public record PendingSignIn(String state, String nonce, String verifier, Instant startedAt) {
    private static final int BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Creates a sign-in with fresh values. */
    public static PendingSignIn start(Instant now) {
        return new PendingSignIn(random(), random(), random(), now);
    }

    private static String random() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return base64(bytes);
    }

    /** Returns the S256 challenge of the verifier. */
    String challenge() {
        return base64(HashDigest.sha256(verifier.getBytes(StandardCharsets.US_ASCII)));
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    @Override
    public String toString() {
        return "PendingSignIn[" + startedAt + ']';
    }
}
