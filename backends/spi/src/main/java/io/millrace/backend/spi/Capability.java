package io.millrace.backend.spi;

/**
 * An optional feature of a backend beyond reading, or a property that the gateway has to allow for. Each enables cases
 * of the contract tests.
 *
 * <p>The gateway refuses a request with NotImplemented if it requires a feature that the backend lacks. A request of
 * S3's that the SPI has no method for passes through {@link RequestForwarder}: {@link #TAGS}, {@link #S3_CONFIGURATION}
 * and {@link #S3_FORWARD} name which of them the backend answers.
 */
public enum Capability {
    /** Lists buckets and the objects of a bucket. */
    LIST,
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
    /** Forwards GET, PUT and DELETE of an object with {@code ?tagging}, whose documents are S3's. */
    TAGS,
    /**
     * Forwards S3's operations on the configuration of buckets and objects, such as CORS rules, policies, ACLs and
     * locks.
     */
    S3_CONFIGURATION,
    /** Forwards any S3 request, with headers and parameters that the gateway does not know. */
    S3_FORWARD,
    /** Evaluates the {@code x-amz-server-side-encryption-customer-*} headers of a read. */
    CUSTOMER_KEYS,
    /** Evaluates {@code x-amz-expected-bucket-owner}, also in a forwarded HEAD of a bucket. */
    EXPECTED_OWNER,
    /** May treat keys that spell one path differently, such as {@code a//b} and {@code a/b}, as one key. */
    PATH_ALIASES,
    /** May report a missing bucket as a missing key to a HEAD of an object. */
    AMBIGUOUS_NOT_FOUND
}
