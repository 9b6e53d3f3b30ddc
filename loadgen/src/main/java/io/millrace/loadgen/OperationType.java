package io.millrace.loadgen;

/** Kind of an operation on an S3 endpoint. */
enum OperationType {
    /** GetObject of all of an object. */
    GET,
    /** GetObject of some bytes at a random offset. */
    RANGE,
    /** GetObject of the last bytes, as readers of a Parquet file's footer do. */
    TAIL,
    /** HeadObject. */
    HEAD,
    /** PutObject. */
    PUT,
    /** CreateMultipartUpload, UploadPart for each part in turn and CompleteMultipartUpload, as one operation. */
    MULTIPART,
    /** One page of ListObjectsV2 below the prefix of the objects, from a random key on. */
    LIST,
    /** DeleteObject. */
    DELETE;

    /** Returns whether the operation receives an object's bytes, so that its first byte is worth a line of its own. */
    boolean isRead() {
        return this == GET || this == RANGE || this == TAIL;
    }

    /** Returns whether the operation changes the bucket. */
    boolean isWrite() {
        return this == PUT || this == MULTIPART || this == DELETE;
    }
}
