package io.millrace.gateway.s3.hub;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.BackendErrorMapper;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.monitor.LogSanitizer;
import io.millrace.gateway.s3.protocol.S3Response;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Error responses as the Hub's client library reads them: a status, and a word for the reason in a header. */
final class HubErrors {
    private static final Logger log = LoggerFactory.getLogger(HubErrors.class);
    private static final String CODE = "x-error-code";

    private HubErrors() {}

    /**
     * Returns the failure of a read with the Hub's word for a missing file, and the commit: clients remember that a
     * file is missing there.
     *
     * @param commit empty if it is not known
     */
    static BackendException described(HubRequest request, Optional<String> commit, BackendException failure) {
        boolean isMissing = failure.kind() == FailureKind.NO_SUCH_KEY
                && failure.headers().first(CODE).isEmpty();
        boolean isOfTheRevision =
                request.what() == HubRequest.Subject.REVISION || request.what() == HubRequest.Subject.PATHS;
        if (!isMissing || isOfTheRevision) {
            return failure;
        }
        HeaderList word = HeaderList.EMPTY.with(CODE, "EntryNotFound");
        return failure.withHeaders(
                commit.map(known -> word.with("x-repo-commit", known)).orElse(word));
    }

    /**
     * Returns the error that a client gets for a failure. Its code, for meters and logs, is the Hub's word if there is
     * one, or else S3's.
     */
    static S3Exception of(String requestId, Throwable failure) {
        if (failure instanceof BackendException backend) {
            return ofBackend(requestId, backend);
        }
        if (failure instanceof S3Exception refusal) {
            return refusal.withHeaders(HeaderList.EMPTY);
        }
        log.error("Request {} to the Hub port failed unexpectedly", requestId, failure);
        return new S3Exception(S3ErrorCode.INTERNAL_ERROR);
    }

    private static S3Exception ofBackend(String requestId, BackendException failure) {
        int status = failure.s3Error().map(S3Error::status).orElseGet(() -> status(failure.kind()));
        if (status >= 500) {
            log.debug("Request {} to the Hub port: {}", requestId, LogSanitizer.escape("" + failure.getMessage()));
        }
        HeaderList headers = failure.headers();
        if (failure.kind() == FailureKind.NO_SUCH_KEY && headers.first(CODE).isEmpty()) {
            headers = headers.with(CODE, "RepoNotFound");
        }
        if (failure.objectSize().isPresent()) {
            headers = headers.with(
                    "content-range", "bytes */" + failure.objectSize().getAsLong());
        }
        if (failure.retryAfter().isPresent()) {
            headers = headers.with(
                    "retry-after",
                    String.valueOf(Math.max(1, failure.retryAfter().get().toSeconds())));
        }
        String code = headers.first(CODE)
                .orElseGet(() -> BackendErrorMapper.toS3(failure).code());
        String message = failure.s3Error().map(S3Error::message).orElseGet(() -> text(failure.kind()));
        return new S3Exception(status, code, message)
                .withHeaders(headers)
                .withReason(BackendErrorMapper.reason(status, failure));
    }

    private static int status(FailureKind kind) {
        return switch (kind) { // no default: a new kind does not compile until it is mapped
            case NOT_MODIFIED -> 304;
            case INVALID_REQUEST, INVALID_PART -> 400;
            case CREDENTIALS_REJECTED -> 401;
            case ACCESS_DENIED, INVALID_STATE -> 403;
            case NO_SUCH_KEY, NO_SUCH_VERSION, NO_SUCH_BUCKET, NO_SUCH_UPLOAD -> 404;
            case PRECONDITION_FAILED -> 412;
            case INVALID_RANGE -> 416;
            case THROTTLED -> 429;
            case UNEXPECTED -> 500;
            case UNSUPPORTED -> 501;
            case LOOP -> 508;
            // A retry may succeed, so these invite one.
            case VERSION_CHANGED, INVALID_RESPONSE, UNAVAILABLE, CREDENTIALS_UNAVAILABLE, BUSY -> 503;
        };
    }

    /** Returns words for the client; the message of the failure is for the operator, and names the backend. */
    private static String text(FailureKind kind) {
        return switch (kind) {
            case NO_SUCH_KEY -> "The repository, revision or file does not exist.";
            case ACCESS_DENIED, CREDENTIALS_REJECTED -> "The Hub denies access with the token that was sent.";
            case INVALID_RANGE -> "The range lies beyond the end of the file.";
            case THROTTLED -> "The Hub asks for fewer requests.";
            case BUSY -> "Millrace still reads this, or too much else; please try again.";
            case UNAVAILABLE, CREDENTIALS_UNAVAILABLE, INVALID_RESPONSE -> "The Hub cannot be reached, or fails.";
            default -> "The request cannot be served.";
        };
    }

    /** Returns the response for an error. */
    static S3Response response(S3Exception error) {
        if (error.status() == 304) {
            return S3Response.empty(304, error.headers());
        }
        String message = error.text();
        String json =
                "{\"error\":\"%s\"}".formatted(message.replace("\\", "\\\\").replace("\"", "\\\""));
        return new S3Response(
                error.status(),
                error.headers()
                        .with("x-error-message", message)
                        .with("content-type", "application/json; charset=utf-8"),
                new S3Response.Bytes(ByteBuffer.wrap(json.getBytes(StandardCharsets.UTF_8))));
    }
}
