package io.millrace.cache.settings;

/** The policy of verifying checksums of cached bytes before they are sent. */
public enum ChecksumVerification {
    /** Verifies once after a block was written or recovered; later reads are sent straight from the file. */
    FIRST_READ,
    /** Verifies on every read and sends the verified bytes. */
    ALWAYS
}
