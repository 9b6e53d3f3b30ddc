package io.millrace.backend.resilience;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.object.HeaderList;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A request that was not sent, because the backend is down or has too many requests. */
final class RequestRefusedException extends BackendException {
    private static final long serialVersionUID = 1L;

    private static final S3Error CROWDED = new S3Error(
            503, "SlowDown", "Too many requests wait for the storage behind this bucket; please try again.");

    private RequestRefusedException(BackendException failure) {
        super(failure);
    }

    /** The breaker is open. */
    static RequestRefusedException down(String backend, String lastFailure) {
        return of(
                FailureKind.UNAVAILABLE,
                backend,
                "not sent, as the backend is down; a request a second finds out whether it is back. " + lastFailure,
                new S3Error(
                        503,
                        "ServiceUnavailable",
                        "The storage behind this bucket is down. It is asked every second; please try again."));
    }

    /** The queue of the concurrency limit is full. */
    static RequestRefusedException crowded(String backend) {
        return of(
                FailureKind.BUSY,
                backend,
                "not sent, as too many requests wait for the backend; raise resilience.max-requests, or lower the load",
                CROWDED);
    }

    /** The time of the call ended while it waited for its turn. */
    static RequestRefusedException lateInTheQueue(String backend, long seconds) {
        return of(
                FailureKind.BUSY,
                backend,
                ("not sent within %d s, as others were; raise resilience.max-requests or max-connections, or lower the"
                                + " load")
                        .formatted(seconds),
                CROWDED);
    }

    /** The streams of the client, or of all clients, have their share of the connections. */
    static RequestRefusedException beyondShare(String backend) {
        return of(
                FailureKind.BUSY,
                backend,
                "not begun, as streams of its client, or of all, have their share of the connections; raise"
                        + " resilience.max-client-streams or max-connections if this is their usual work",
                CROWDED);
    }

    /** A stream whose client did nothing was ended for another client. */
    static RequestRefusedException gaveWay(String backend) {
        return of(
                FailureKind.BUSY,
                backend,
                "ended, as its client did nothing for %d s while another one waited for a connection"
                        .formatted(TimeUnit.NANOSECONDS.toSeconds(ClientStreams.STALLED_NANOS)),
                CROWDED);
    }

    private static RequestRefusedException of(FailureKind kind, String backend, String message, S3Error error) {
        return new RequestRefusedException(new BackendException(kind, message)
                .withBackend(backend)
                .withS3Error(error)
                .withHeaders(HeaderList.EMPTY.with("retry-after", "1"))
                .withRetryAfter(Duration.ofSeconds(1))
                .asUnprocessed());
    }
}
