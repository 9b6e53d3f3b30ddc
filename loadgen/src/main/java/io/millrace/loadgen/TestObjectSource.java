package io.millrace.loadgen;

/** Origin of the objects of a load test. */
enum TestObjectSource {
    /** Keys, sizes and bytes are computed; missing objects are uploaded before the first phase. */
    GENERATED,
    /** The objects that the bucket has below the prefix. */
    LISTED,
    /** The keys in a file. */
    FILE
}
