package io.millrace.cache.settings;

/** When bytes of the disks are compared with their checksums. */
public enum Verification {
    /** Once after they were written or found at a start; from then on they are sent from the file. */
    FIRST_READ,
    /** On every read, and what was compared is what is sent. */
    ALWAYS
}
