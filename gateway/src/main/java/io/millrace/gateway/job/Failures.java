package io.millrace.gateway.job;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.cache.NotCachedException;
import io.millrace.cache.disk.DiskUnavailableException;
import io.millrace.gateway.error.BackendErrors;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.fetch.FetchException;
import io.millrace.gateway.job.plan.PlanException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** What a failure of one object means for it and for its job. */
final class Failures {
    private static final Set<Kind> PASSING =
            EnumSet.of(Kind.UNAVAILABLE, Kind.THROTTLED, Kind.BROKEN_ANSWER, Kind.VERSION_CHANGED);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(300);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(20);

    private Failures() {}

    /** Growing pauses, for failures that look like passing, and those that servers ask for. The last failure is what is told. */
    static Retry retry(int attempts) {
        return Retry.from(failures -> failures.concatMap(signal -> {
            Throwable failure = signal.failure();
            return isPassing(failure) && signal.totalRetries() < attempts - 1
                    ? Mono.delay(pause(signal.totalRetries(), failure))
                    : Mono.error(failure);
        }));
    }

    /** How long to wait behind so many tries. */
    static Duration pause(long tries, Throwable failure) {
        long most = Math.min(LONGEST_PAUSE.toMillis(), FIRST_PAUSE.toMillis() << Math.min(tries, 16));
        Duration own = Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + most / 2));
        Optional<Duration> asked = failure instanceof FetchException fetch ? fetch.pause() : Optional.empty();
        return asked.filter(longer -> longer.compareTo(own) > 0).orElse(own);
    }

    /** Whether another try may help. */
    static boolean isPassing(Throwable failure) {
        if (failure instanceof NotCachedException notCached) {
            return notCached.isPassing();
        }
        return failure instanceof FetchException fetch
                ? fetch.isPassing()
                : failure instanceof BackendException backend && PASSING.contains(backend.kind());
    }

    /** Whether there is no such object. */
    static boolean isAbsent(Throwable failure) {
        return failure instanceof BackendException backend && backend.kind() == Kind.NO_SUCH_KEY;
    }

    /** Why the whole job cannot go on, if this is such a failure. */
    static Optional<String> ofTheJob(Throwable failure) {
        if (failure instanceof StoppedException
                || failure instanceof PlanException
                || failure instanceof DiskUnavailableException) {
            return Optional.of(String.valueOf(failure.getMessage()));
        }
        if (failure instanceof BackendException backend && backend.kind() == Kind.NO_SUCH_BUCKET) {
            return Optional.of("there is no such bucket at the backend");
        }
        return Optional.empty();
    }

    /** What its owner reads. */
    static String text(Throwable failure) {
        if (failure instanceof NotCachedException notCached) {
            return String.valueOf(notCached.getMessage());
        }
        if (failure instanceof BackendException backend) {
            // Not its message: where the backend is, and what it calls its buckets, is the operator's.
            S3Exception told = BackendErrors.toS3(backend);
            return backend.kind() + ", " + told.code() + ": " + told.text();
        }
        if (failure instanceof FetchException fetch) {
            return String.valueOf(fetch.getMessage());
        }
        if (failure instanceof S3Exception refused) {
            return refused.code() + ", " + refused.getMessage();
        }
        return failure.toString();
    }
}
