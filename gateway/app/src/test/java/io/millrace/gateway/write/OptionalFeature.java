package io.millrace.gateway.write;

/** What not every backend does as S3 does; each chooses cases. */
enum OptionalFeature {
    /** Keeps checksums of every kind, also those that come behind the bytes. */
    ALL_CHECKSUMS,
    /** Keeps metadata of any bytes. */
    METADATA_IN_UTF8,
    /** Compares and writes in one step. */
    ATOMIC_CONDITIONS,
    /** Copies under conditions on the source. */
    CONDITIONAL_COPY,
    /** Copies under conditions on the target. */
    CONDITIONAL_COPY_TARGET,
    /** Refuses a copy of an object onto itself that changes nothing. */
    REFUSES_IDLE_COPY,
    /** Deletes under conditions. */
    CONDITIONAL_DELETE,
    /** Answers a completion that is repeated as the first. */
    COMPLETES_TWICE,
    /** Says so where an upload is not there. */
    MISSES_UPLOADS,
    /** Lists parts page by page. */
    PAGES_OF_PARTS,
    /** Looks at the order of parts. */
    PART_ORDER,
    /** Knows the parts of what was uploaded in parts. */
    REMEMBERS_PARTS,
    /** Sums uploads in parts. */
    COMPOSITE_CHECKSUMS,
    /** Says that a bucket which is made again is there. */
    TELLS_OWN_BUCKETS,
    /** Gives every field back as it came. */
    EXACT_FIELDS
}
