package io.millrace.backend.s3;

/** An operation that S3 accepts with {@code If-Match} or {@code If-None-Match}. */
public enum ConditionalOperation {
    /** PutObject. */
    PUT("PutObject"),
    /** CompleteMultipartUpload. */
    COMPLETE("CompleteMultipartUpload"),
    /** CopyObject, with a condition on its target. */
    COPY("CopyObject"),
    /** DeleteObject, DeleteObjects and AbortMultipartUpload. */
    DELETE("DeleteObject");

    private final String operation;

    ConditionalOperation(String operation) {
        this.operation = operation;
    }

    /** Returns the name of the S3 operation. */
    public String operation() {
        return operation;
    }
}
