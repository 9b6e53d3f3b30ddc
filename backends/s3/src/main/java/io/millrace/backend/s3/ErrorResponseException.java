package io.millrace.backend.s3;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.ObjectResponseHead;
import io.millrace.backend.spi.object.HeaderList;
import java.util.List;

/** An error response of the S3 server, before it is mapped to a {@code BackendException}. */
final class ErrorResponseException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient ObjectResponseHead head;
    private final transient S3ErrorBody body;
    private final transient HeaderList headers;

    private ErrorResponseException(ObjectResponseHead response, S3ErrorBody text, HeaderList fields) {
        super("%d %s".formatted(response.status(), text.code()), null, false, false);
        this.head = response;
        this.body = text;
        this.headers = fields;
    }

    static ErrorResponseException of(BufferedResponse reply) {
        ObjectResponseHead response =
                ObjectResponseHead.of(reply.status(), reply.fields().fields());
        return new ErrorResponseException(response, S3ErrorBody.of(reply.bytes()), reply.fields());
    }

    /** Returns an error in the body of a 200; its status is the usual one of its code. */
    static ErrorResponseException afterSuccess(BufferedResponse reply, S3ErrorBody text) {
        int status = ErrorCodeMapping.statusOf(text.code());
        return new ErrorResponseException(
                ObjectResponseHead.of(status, reply.fields().fields()), text, reply.fields());
    }

    /** Returns the error of one entry of a batch. */
    static ErrorResponseException ofBatchEntry(S3ErrorBody text) {
        return new ErrorResponseException(
                ObjectResponseHead.of(ErrorCodeMapping.statusOf(text.code()), List.of()), text, HeaderList.EMPTY);
    }

    ObjectResponseHead head() {
        return head;
    }

    S3ErrorBody body() {
        return body;
    }

    /** Returns the response headers as received. */
    HeaderList headers() {
        return headers;
    }
}
