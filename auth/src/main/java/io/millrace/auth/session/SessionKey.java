package io.millrace.auth.session;

import io.millrace.backend.spi.checksum.HashDigest;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/** Key that encrypts session tokens, with the id by which a token names it. */
public final class SessionKey {
    /** The length of a key, in bytes. */
    public static final int BYTES = 32;

    static final int ID_BYTES = 8;

    private final byte[] id;
    private final SecretKey key;

    /**
     * @param bytes 32 secret bytes
     * @throws IllegalArgumentException if the key has another length
     */
    public SessionKey(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("the key has %d bytes instead of %d".formatted(bytes.length, BYTES));
        }
        this.key = new SecretKeySpec(bytes, "AES");
        this.id = Arrays.copyOf(HashDigest.sha256(bytes), ID_BYTES);
    }

    byte[] id() {
        return id.clone();
    }

    boolean hasId(byte[] other) {
        return MessageDigest.isEqual(id, other);
    }

    SecretKey key() {
        return key;
    }
}
