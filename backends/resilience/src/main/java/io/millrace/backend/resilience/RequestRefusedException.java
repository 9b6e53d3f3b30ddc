package io.millrace.backend.resilience;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.object.HeaderList;
import java.time.Duration;

/** A request that was not sent, because the backend is down or has too many requests. */
final class RequestRefusedException extends BackendException {
    private static final long serialVersionUID = 1L;

    private RequestRefusedException(BackendException failure) {
        super(failure);
    }

    /** The breaker is open. */
    static RequestRefusedException down(String backend, String lastFailure) {
        return of(
                backend,
                "not sent, as the backend is down; a request a second finds out whether it is back. " + lastFailure,
                "The storage behind this bucket is down. It is asked every second; please try again.");
    }

    /** The queue of the concurrency limit is full. */
    static RequestRefusedException crowded(String backend) {
        return of(
                backend,
                "not sent, as too many requests wait for the backend; raise resilience.max-requests, or lower the load",
                "Too many requests wait for the storage behind this bucket; please try again.");
    }

    private static RequestRefusedException of(String backend, String message, String clientMessage) {
        return new RequestRefusedException(new BackendException(FailureKind.UNAVAILABLE, message)
                .withBackend(backend)
                .withS3Error(new S3Error(503, "ServiceUnavailable", clientMessage))
                .withHeaders(HeaderList.EMPTY.with("retry-after", "1"))
                .withRetryAfter(Duration.ofSeconds(1))
                .asUnprocessed());
    }
}
