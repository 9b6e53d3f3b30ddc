package io.millrace.backend.spi;

/** What a backend can do beyond reading and listing. Each chooses cases of the contract suite. */
public enum Capability {
    /** Keeps several versions of a key, each readable by its id. */
    VERSIONS,
    /** Knows the parts a multipart upload left. */
    PARTS,
    /** Keeps checksums and gives them back. */
    CHECKSUMS,
    /** Takes writes and deletes, and makes and deletes buckets. */
    WRITE,
    /** Takes writes under If-Match and If-None-Match in one step, or refuses those kinds of which it is not known to. */
    CONDITIONAL_WRITE,
    /** Takes multipart uploads. */
    MULTIPART,
    /** Copies inside itself. */
    COPY,
    /** Takes S3 requests that the gateway does not speak itself. */
    FORWARD
}
