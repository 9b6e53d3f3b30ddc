package io.millrace.cache;

import java.security.MessageDigest;

/** The result of hashing a cached block on disk: its SHA-256, or the reason why the block was dropped. */
public sealed interface BlockHashResult {
    /** The block was read and its checksums match. */
    final class Hashed implements BlockHashResult {
        private final byte[] sha256;

        Hashed(byte[] sha256) {
            this.sha256 = sha256;
        }

        /** Returns whether the block has this SHA-256, in constant time. */
        public boolean is(byte[] other) {
            return MessageDigest.isEqual(sha256, other);
        }
    }

    /** The block failed its checksums and was dropped. */
    record Corrupt() implements BlockHashResult {}

    /** The disk could not read the block, which was dropped. */
    record Unreadable() implements BlockHashResult {}
}
