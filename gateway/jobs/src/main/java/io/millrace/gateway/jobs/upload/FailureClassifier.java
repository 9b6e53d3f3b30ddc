package io.millrace.gateway.jobs.upload;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.cache.disk.io.DiskUnavailableException;
import io.millrace.cache.fill.NotCachedException;
import io.millrace.cache.metadata.MetadataUnavailableException;
import io.millrace.gateway.error.BackendErrorMapper;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.jobs.fetch.FetchException;
import io.millrace.gateway.jobs.plan.PlanException;
import io.millrace.gateway.jobs.store.JobStoppedException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** What a failure of one object means for it and for its job. */
public final class FailureClassifier {
    private static final Set<FailureKind> PASSING = EnumSet.of(
            FailureKind.UNAVAILABLE, FailureKind.THROTTLED, FailureKind.INVALID_RESPONSE, FailureKind.VERSION_CHANGED);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(300);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(20);

    private FailureClassifier() {}

    /** Growing pauses, for failures that look like passing, and those that servers ask for. The last failure is what is told. */
    public static Retry retry(int attempts) {
        return Retry.from(failures -> failures.concatMap(signal -> {
            Throwable failure = signal.failure();
            return isPassing(failure) && signal.totalRetries() < attempts - 1
                    ? Mono.delay(pause(signal.totalRetries(), failure))
                    : Mono.error(failure);
        }));
    }

    /** How long to wait behind so many tries. */
    public static Duration pause(long tries, Throwable failure) {
        long most = Math.min(LONGEST_PAUSE.toMillis(), FIRST_PAUSE.toMillis() << Math.min(tries, 16));
        Duration own = Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + most / 2));
        Optional<Duration> asked = failure instanceof FetchException fetch ? fetch.pause() : Optional.empty();
        return asked.filter(longer -> longer.compareTo(own) > 0).orElse(own);
    }

    /** Whether another try may help. */
    public static boolean isPassing(Throwable failure) {
        if (failure instanceof NotCachedException notCached) {
            return notCached.isTransient();
        }
        if (failure instanceof S3Exception refused) {
            return refused.status() == S3ErrorCode.SERVICE_UNAVAILABLE.status();
        }
        return failure instanceof FetchException fetch
                ? fetch.isPassing()
                : failure instanceof BackendException backend && PASSING.contains(backend.kind());
    }

    /** Whether there is no such object. */
    public static boolean isAbsent(Throwable failure) {
        return failure instanceof BackendException backend && backend.kind() == FailureKind.NO_SUCH_KEY;
    }

    /** Why the whole job cannot go on, if this is such a failure. */
    public static Optional<String> ofTheJob(Throwable failure) {
        if (failure instanceof JobStoppedException
                || failure instanceof PlanException
                || failure instanceof DiskUnavailableException
                || failure instanceof MetadataUnavailableException) {
            return Optional.of(String.valueOf(failure.getMessage()));
        }
        // Each further object would fail in the same way, until somebody acts.
        return failure instanceof BackendException backend
                        && (backend.kind() == FailureKind.NO_SUCH_BUCKET
                                || backend.kind() == FailureKind.CREDENTIALS_REJECTED)
                ? Optional.of(text(backend))
                : Optional.empty();
    }

    /** Names the backend, and what its operator can do. Not its message: where it is, and what it calls its buckets, is the operator's. */
    private static String text(BackendException failure) {
        String backend = failure.backend().map("backend '%s'"::formatted).orElse("the backend");
        S3Exception told = BackendErrorMapper.toS3(failure);
        String words = switch (failure.kind()) {
            case CREDENTIALS_REJECTED ->
                "%s rejects the gateway's credentials: the operator has to check its access-key, secret-key and region, and the clocks"
                        .formatted(backend);
            case ACCESS_DENIED ->
                "%s denies this to the gateway: the operator has to check the rights of its access-key, and the policies there"
                        .formatted(backend);
            case NO_SUCH_BUCKET ->
                "%s has no such bucket: correct its name, or let the operator create it there or correct the gateway's file"
                        .formatted(backend);
            case UNAVAILABLE, THROTTLED, INVALID_RESPONSE ->
                "%s is not reachable or in trouble; millrace status tells operators more".formatted(backend);
            default -> told.code() + ": " + told.text();
        };
        return failure.kind() + ", " + words;
    }

    /** What its owner reads. */
    public static String text(Throwable failure) {
        if (failure instanceof NotCachedException notCached) {
            return String.valueOf(notCached.getMessage());
        }
        if (failure instanceof BackendException backend) {
            return text(backend);
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
