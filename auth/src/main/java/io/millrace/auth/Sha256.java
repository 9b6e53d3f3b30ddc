package io.millrace.auth;

import io.millrace.backend.spi.checksum.HashDigest;
import java.util.HexFormat;

/** SHA-256 in the form that signatures have it. Thread-safe. */
public final class Sha256 {
    /** Hash of no bytes, which a request without a body signs. */
    public static final String OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private Sha256() {}

    /** Returns the hash of {@code bytes}, 64 lower-case hex digits. */
    public static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(HashDigest.sha256(bytes));
    }
}
