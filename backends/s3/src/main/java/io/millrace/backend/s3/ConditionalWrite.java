package io.millrace.backend.s3;

/** A kind of write that S3 takes under {@code If-Match} or {@code If-None-Match}. */
public enum ConditionalWrite {
    /** PutObject. */
    PUT("PutObject"),
    /** CompleteMultipartUpload. */
    COMPLETE("CompleteMultipartUpload"),
    /** CopyObject, with a condition on its target. */
    COPY("CopyObject"),
    /** DeleteObject and its like: DeleteObjects, AbortMultipartUpload. */
    DELETE("DeleteObject");

    private final String operation;

    ConditionalWrite(String operation) {
        this.operation = operation;
    }

    /** The operation of S3. */
    String operation() {
        return operation;
    }
}
