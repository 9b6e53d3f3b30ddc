package io.millrace.backend.s3;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.ObjectResponseHead;
import io.millrace.backend.http.ResponseDescription;
import io.millrace.backend.spi.object.HeaderList;
import java.util.List;

/** An error response of the S3 server, before it is mapped to a {@code BackendException}. */
final class ErrorResponseException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient ObjectResponseHead head;
    private final transient S3ErrorBody body;
    private final transient HeaderList headers;
    private final String said;

    private ErrorResponseException(ObjectResponseHead response, S3ErrorBody text, HeaderList fields, String said) {
        super("%d %s".formatted(response.status(), text.code()), null, false, false);
        this.head = response;
        this.body = text;
        this.headers = fields;
        this.said = said;
    }

    static ErrorResponseException of(BufferedResponse reply) {
        ObjectResponseHead response =
                ObjectResponseHead.of(reply.status(), reply.fields().fields());
        S3ErrorBody text = S3ErrorBody.of(reply.bytes());
        String said = text.code().isEmpty() ? ResponseDescription.of(reply) : "";
        return new ErrorResponseException(response, text, reply.fields(), said);
    }

    /** Returns an error in the body of a 200; its status is the usual one of its code. */
    static ErrorResponseException afterSuccess(BufferedResponse reply, S3ErrorBody text) {
        int status = ErrorCodeMapping.statusOf(text.code());
        return new ErrorResponseException(
                ObjectResponseHead.of(status, reply.fields().fields()), text, reply.fields(), "");
    }

    /** Returns the error of one entry of a batch. */
    static ErrorResponseException ofBatchEntry(S3ErrorBody text) {
        return new ErrorResponseException(
                ObjectResponseHead.of(ErrorCodeMapping.statusOf(text.code()), List.of()), text, HeaderList.EMPTY, "");
    }

    ObjectResponseHead head() {
        return head;
    }

    S3ErrorBody body() {
        return body;
    }

    /** Returns what the server said, if it is no error of S3; empty if it is. */
    String said() {
        return said;
    }

    /** Returns the response headers as received. */
    HeaderList headers() {
        return headers;
    }
}
