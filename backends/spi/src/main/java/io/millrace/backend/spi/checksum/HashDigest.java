package io.millrace.backend.spi.checksum;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** A hash the JDK has. */
public final class HashDigest implements ChecksumDigest {
    private final MessageDigest digest;

    private HashDigest(MessageDigest digest) {
        this.digest = digest;
    }

    /** A digest by one of the names every JDK knows: MD5, SHA-1, SHA-256, SHA-512. */
    public static HashDigest of(String algorithm) {
        try {
            return new HashDigest(MessageDigest.getInstance(algorithm));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has " + algorithm, e);
        }
    }

    @Override
    public void update(ByteBuffer bytes) {
        digest.update(bytes);
    }

    /** Also begins anew. */
    @Override
    public byte[] bytes() {
        return digest.digest();
    }
}
