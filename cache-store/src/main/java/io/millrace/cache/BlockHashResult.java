package io.millrace.cache;

import java.security.MessageDigest;

/** What came of a look at a block where it lies. */
public sealed interface BlockHashResult {
    /** It was read, and is what was written. */
    final class Hashed implements BlockHashResult {
        private final byte[] sha256;

        Hashed(byte[] sha256) {
            this.sha256 = sha256;
        }

        /** Whether its bytes have this SHA-256. */
        public boolean is(byte[] other) {
            return MessageDigest.isEqual(sha256, other);
        }
    }

    /** It is not what was written, and was dropped. */
    record Corrupt() implements BlockHashResult {}

    /** Its disk could not read it, and it was dropped. */
    record Unreadable() implements BlockHashResult {}
}
