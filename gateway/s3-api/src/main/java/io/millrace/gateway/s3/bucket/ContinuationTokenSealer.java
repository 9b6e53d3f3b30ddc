package io.millrace.gateway.s3.bucket;

import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.kit.XmlText;
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
 * Encrypts the continuation tokens of backends for clients. A backend's token often is the last key of the page, with
 * the prefix that the bucket hides. So in a bucket with a prefix, tokens are encrypted and authenticated (AES-256-GCM),
 * and valid for that bucket only. In other buckets they are unchanged, and valid at every replica; those that XML would
 * not carry as they are, such as a key with a control character, are encoded in Base64 after a {@code ~}.
 *
 * <p>Format of encrypted tokens, in URL-safe Base64: twelve random bytes, the encrypted token, its tag. The length
 * reveals that of the backend's token. Thread-safe.
 */
public final class ContinuationTokenSealer {
    /** The length of a key, in bytes. */
    public static final int KEY_BYTES = 32;

    private static final String ALGORITHM = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    /** Marks an encoded token. A token that begins with it is encoded too. */
    private static final String ENCODED = "~";

    private final SecretKey key;
    private final SecureRandom random = new SecureRandom();

    /**
     * @param key 32 secret bytes; replicas that accept each other's tokens need the same key
     * @throws IllegalArgumentException if the key has another length
     */
    public ContinuationTokenSealer(byte[] key) {
        if (key.length != KEY_BYTES) {
            throw new IllegalArgumentException("the key has %d bytes instead of %d".formatted(key.length, KEY_BYTES));
        }
        this.key = new SecretKeySpec(key, "AES");
    }

    /** Returns the client's token for a backend's token. */
    String seal(BucketView bucket, String token) {
        if (bucket.prefix().isEmpty()) {
            return encode(token);
        }
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            byte[] text = token.getBytes(StandardCharsets.UTF_8);
            Cipher cipher = cipher(Cipher.ENCRYPT_MODE, bucket, nonce);
            byte[] sealed = new byte[NONCE_BYTES + cipher.getOutputSize(text.length)];
            System.arraycopy(nonce, 0, sealed, 0, NONCE_BYTES);
            cipher.doFinal(text, 0, text.length, sealed, NONCE_BYTES);
            return base64(sealed);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has AES with GCM", e);
        }
    }

    /** Returns the backend's token for a client's token; empty if it was not sealed with this key for this bucket. */
    Optional<String> open(BucketView bucket, String sealed) {
        try {
            return bucket.prefix().isEmpty() ? Optional.of(decode(sealed)) : decrypt(bucket, sealed);
        } catch (GeneralSecurityException | IllegalArgumentException notOurs) {
            return Optional.empty();
        }
    }

    private Optional<String> decrypt(BucketView bucket, String sealed) throws GeneralSecurityException {
        byte[] bytes = Base64.getUrlDecoder().decode(sealed);
        if (bytes.length < NONCE_BYTES + TAG_BITS / 8) {
            return Optional.empty();
        }
        byte[] text =
                cipher(Cipher.DECRYPT_MODE, bucket, bytes).doFinal(bytes, NONCE_BYTES, bytes.length - NONCE_BYTES);
        return Optional.of(new String(text, StandardCharsets.UTF_8));
    }

    private static String encode(String token) {
        return XmlText.isReadAsWritten(token) && !token.startsWith(ENCODED)
                ? token
                : ENCODED + base64(token.getBytes(StandardCharsets.UTF_8));
    }

    private static String decode(String token) {
        return token.startsWith(ENCODED)
                ? new String(Base64.getUrlDecoder().decode(token.substring(ENCODED.length())), StandardCharsets.UTF_8)
                : token;
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private Cipher cipher(int mode, BucketView bucket, byte[] nonce) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(ALGORITHM);
        cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce, 0, NONCE_BYTES));
        // Bucket names have no slash, so no two buckets have the same data here.
        cipher.updateAAD("%s/%s/%s"
                .formatted(bucket.name(), bucket.backendBucket(), bucket.prefix())
                .getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
