package io.millrace.backend.spi.checksum;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** A {@link ChecksumDigest} over a {@link MessageDigest} of the JDK. */
public final class HashDigest implements ChecksumDigest {
    private final MessageDigest digest;

    private HashDigest(MessageDigest digest) {
        this.digest = digest;
    }

    /** Returns a digest for MD5, SHA-1, SHA-256 or SHA-512. */
    public static HashDigest of(String algorithm) {
        try {
            return new HashDigest(MessageDigest.getInstance(algorithm));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + algorithm, e);
        }
    }

    /** Returns the SHA-256 of these bytes. */
    public static byte[] sha256(byte[] bytes) {
        return of("SHA-256").digest.digest(bytes);
    }

    @Override
    public void update(ByteBuffer bytes) {
        digest.update(bytes);
    }

    /** Returns the value and resets the digest. */
    @Override
    public byte[] bytes() {
        return digest.digest();
    }
}
