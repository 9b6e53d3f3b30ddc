package io.millrace.backend.spi.checksum;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** A {@link ChecksumDigest} over a {@link MessageDigest} of the JDK. */
public final class HashDigest implements ChecksumDigest {
    /** Cloned for each hash, because looking up the provider each time is slow. */
    private static final MessageDigest SHA256 = of("SHA-256").digest;

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

    /** Returns the SHA-256 of these bytes. Thread-safe. */
    public static byte[] sha256(byte[] bytes) {
        try {
            return ((MessageDigest) SHA256.clone()).digest(bytes);
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the JDK's SHA-256 can be cloned", e);
        }
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
