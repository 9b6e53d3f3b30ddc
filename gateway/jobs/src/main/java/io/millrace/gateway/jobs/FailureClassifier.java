package io.millrace.gateway.jobs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.cache.disk.DiskUnavailableException;
import io.millrace.cache.fill.UncacheableObjectException;
import io.millrace.cache.metadata.MetadataStoreUnavailableException;
import io.millrace.gateway.error.BackendErrorMapper;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.jobs.plan.PlanException;
import io.millrace.gateway.jobs.store.JobCannotContinueException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * Classifies failures of single objects: transient, of the object, or of the whole job; and describes them for the
 * job's owner.
 */
final class FailureClassifier {
    private static final Duration FIRST_PAUSE = Duration.ofMillis(300);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(20);

    private FailureClassifier() {}

    /**
     * Creates a retry with growing delays for transient failures; a longer delay that the server requests wins. Emits
     * the last failure.
     *
     * @param reason is told of each failure that is retried
     */
    static Retry retry(int attempts, RetryReason reason) {
        return Retry.from(failures -> failures.concatMap(signal -> {
            Throwable failure = signal.failure();
            if (!isPassing(failure) || signal.totalRetries() >= attempts - 1) {
                return Mono.error(failure);
            }
            reason.remember(failure);
            return Mono.delay(pause(signal.totalRetries(), failure));
        }));
    }

    /** Returns the delay after this many retries. */
    static Duration pause(long tries, Throwable failure) {
        long longest = Math.min(LONGEST_PAUSE.toMillis(), FIRST_PAUSE.toMillis() << Math.min(tries, 16));
        Duration own = Duration.ofMillis(ThreadLocalRandom.current().nextLong(longest / 2, longest + longest / 2));
        Optional<Duration> requested = failure instanceof FetchException fetch ? fetch.pause() : Optional.empty();
        return requested.filter(longer -> longer.compareTo(own) > 0).orElse(own);
    }

    /** Returns true if a retry may help. */
    static boolean isPassing(Throwable failure) {
        if (failure instanceof UncacheableObjectException notCached) {
            return notCached.isTransient();
        }
        if (failure instanceof S3Exception refused) {
            return refused.status() == S3ErrorCode.SERVICE_UNAVAILABLE.status();
        }
        return failure instanceof FetchException fetch
                ? fetch.isPassing()
                : failure instanceof BackendException backend && isPassing(backend.kind());
    }

    private static boolean isPassing(FailureKind kind) {
        return kind.isTemporary() || kind == FailureKind.INVALID_RESPONSE || kind == FailureKind.VERSION_CHANGED;
    }

    /** Returns true if the object does not exist. */
    static boolean isAbsent(Throwable failure) {
        return failure instanceof BackendException backend && backend.kind() == FailureKind.NO_SUCH_KEY;
    }

    /** Returns true if the backend denies a request to the gateway; to some an object that does not exist, too. */
    static boolean isDenied(Throwable failure) {
        return failure instanceof BackendException backend && backend.kind() == FailureKind.ACCESS_DENIED;
    }

    /** Returns the message if the failure stops the whole job. */
    static Optional<String> ofTheJob(Throwable failure) {
        if (failure instanceof JobCannotContinueException
                || failure instanceof PlanException
                || failure instanceof DiskUnavailableException
                || failure instanceof MetadataStoreUnavailableException) {
            return Optional.of(String.valueOf(failure.getMessage()));
        }
        // Each further object would fail in the same way until the operator acts.
        return failure instanceof BackendException backend
                        && (backend.kind() == FailureKind.NO_SUCH_BUCKET
                                || backend.kind() == FailureKind.CREDENTIALS_REJECTED)
                ? Optional.of(text(backend))
                : Optional.empty();
    }

    /**
     * Names the backend and the remedy for its operator. Omits the backend's message, because addresses and bucket
     * names are the operator's.
     */
    private static String text(BackendException failure) {
        String backend = failure.backend().map("backend '%s'"::formatted).orElse("the backend");
        S3Exception s3 = BackendErrorMapper.toS3(failure);
        return switch (failure.kind()) {
            case CREDENTIALS_REJECTED ->
                ("%s rejects the gateway's credentials: the operator has to check them in the gateway's file, and the"
                                + " clocks")
                        .formatted(backend);
            case ACCESS_DENIED ->
                ("%s denies this to the gateway: the operator has to check the rights of the gateway's credentials,"
                                + " and the policies there")
                        .formatted(backend);
            case NO_SUCH_BUCKET ->
                ("%s has no such bucket: correct its name, or let the operator create it there or correct the "
                                + "gateway's file")
                        .formatted(backend);
            case CREDENTIALS_UNAVAILABLE ->
                ("%s: what gives the gateway's credentials is unreachable or failing; operators see more in millrace"
                                + " status")
                        .formatted(backend);
            case UNAVAILABLE, THROTTLED, INVALID_RESPONSE ->
                "%s is unreachable or failing (%s); operators see more in millrace status"
                        .formatted(
                                backend,
                                failure.kind().name().toLowerCase(Locale.ROOT).replace('_', ' '));
            default -> s3.code() + ": " + s3.text();
        };
    }

    /** Returns the message for the job's owner. */
    static String text(Throwable failure) {
        if (failure instanceof UncacheableObjectException notCached) {
            return String.valueOf(notCached.getMessage());
        }
        if (failure instanceof BackendException backend) {
            return text(backend);
        }
        if (failure instanceof FetchException fetch) {
            return String.valueOf(fetch.getMessage());
        }
        if (failure instanceof S3Exception refused) {
            return refused.code() + ": " + refused.getMessage();
        }
        return failure.toString();
    }
}
