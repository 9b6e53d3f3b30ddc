package io.millrace.auth;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Computes SHA-256. It clones one digest instance, because looking up the provider for each request
 * is slow. Thread-safe.
 */
public final class Sha256 {
    /** Hash of no bytes, which a request without a body signs. */
    public static final String OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private static final MessageDigest PROTOTYPE = prototype();

    private Sha256() {}

    /** Returns the hash of {@code bytes}, 64 lower-case hex digits. */
    public static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(digest(bytes));
    }

    /** Returns the 32 bytes of the hash of {@code bytes}. */
    public static byte[] digest(byte[] bytes) {
        try {
            return ((MessageDigest) PROTOTYPE.clone()).digest(bytes);
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the JDK's SHA-256 can be cloned", e);
        }
    }

    private static MessageDigest prototype() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
