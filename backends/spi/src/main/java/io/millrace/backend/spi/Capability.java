package io.millrace.backend.spi;

/** An optional feature of a backend, beyond reading and listing. Each enables cases of the contract tests. */
public enum Capability {
    /** Keeps several versions of a key, each readable by its id. */
    VERSIONS,
    /** Reads single parts of an object that was uploaded in parts. */
    PARTS,
    /** Stores checksums and returns them. */
    CHECKSUMS,
    /** Writes and deletes objects, and creates and deletes buckets. */
    WRITE,
    /** Evaluates If-Match and If-None-Match atomically with a write, or refuses the operations where it does not. */
    CONDITIONAL_WRITE,
    /** Supports multipart uploads. */
    MULTIPART,
    /** Copies objects within the backend. */
    COPY,
    /** Accepts S3 requests that the gateway does not implement itself. */
    FORWARD
}
