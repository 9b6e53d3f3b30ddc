package io.millrace.gateway.s3.listing;

import io.millrace.gateway.objects.bucket.BucketView;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Continuation tokens as clients see them. A backend's token often is the last key it showed, hidden prefix and all, so in a
 * bucket below a prefix it is sealed: encrypted and authenticated (AES-256-GCM), and good for that bucket only. In any
 * other bucket it hides nothing and is passed on as it is, so that it holds at every replica.
 *
 * <p>Sealed, in Base64 for URLs: twelve random bytes, then the encrypted token and its tag. Its length tells that of the
 * backend's token. Thread-safe.
 */
public final class ContinuationTokenSealer {
    /** Bytes of a key. */
    public static final int KEY_BYTES = 32;

    private static final String ALGORITHM = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    private final SecretKey key;
    private final SecureRandom random = new SecureRandom();

    /**
     * @param key 32 secret bytes; the same at every start and replica that is to understand the tokens of this one
     * @throws IllegalArgumentException if they are fewer or more
     */
    public ContinuationTokenSealer(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("a key of %d bytes, not %d".formatted(key.length, KEY_BYTES));
        }
        this.key = new SecretKeySpec(key, "AES");
    }

    /** What a client is shown for a backend's token. */
    String seal(BucketView bucket, String token) {
        if (bucket.prefix().isEmpty()) {
            return token;
        }
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] text = token.getBytes(StandardCharsets.UTF_8);
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, bucket, nonce);
            byte[] sealed = new byte[NONCE_BYTES + cipher.getOutputSize(text.length)];
            System.arraycopy(nonce, 0, sealed, 0, NONCE_BYTES);
            cipher.doFinal(text, 0, text.length, sealed, NONCE_BYTES);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES with GCM", e);
        }
    }

    /** The backend's token for what a client sends; none if it was not made here for this bucket. */
    Optional<String> open(BucketView bucket, String sealed) {
        if (bucket.prefix().isEmpty()) {
            return Optional.of(sealed);
        }
        try {
            byte[] bytes = Base64.getUrlDecoder().decode(sealed);
            if (bytes.length < NONCE_BYTES + TAG_BITS / 8) {
                return Optional.empty();
            }
            byte[] text =
                    cipher(Cipher.DECRYPT_MODE, bucket, bytes).doFinal(bytes, NONCE_BYTES, bytes.length - NONCE_BYTES);
            return Optional.of(new String(text, StandardCharsets.UTF_8));
        } catch (GeneralSecurityException | IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    private Cipher cipher(int mode, BucketView bucket, byte[] nonce) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(ALGORITHM);
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce, 0, NONCE_BYTES));
        // Names of buckets have no slash, so no two buckets look alike.
        cipher.updateAAD("%s/%s/%s"
                .formatted(bucket.name(), bucket.real(), bucket.prefix())
                .getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
