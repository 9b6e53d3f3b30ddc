package io.millrace.gateway.objects.monitor;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/**
 * Logs a warning once, and then at most once per {@link #PAUSE} with the number of repetitions, so that a failing
 * backend does not cost a line per request. The subjects are few: backends and buckets of the settings, times kinds of
 * failures. Thread-safe.
 */
public final class WarningLimiter implements AutoCloseable {
    static final Duration PAUSE = Duration.ofMinutes(1);

    /** The most subjects; warnings of further ones are dropped until one of these is quiet. */
    private static final int MOST = 10_000;

    private final Logger log;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<String, Repeats> repeats = new ConcurrentHashMap<>();
    private final Disposable timer;

    /** @param since time of its last line */
    private record Repeats(long since, long count, String last) {}

    private WarningLimiter(Logger log, LongSupplier nanoTime, boolean timed) {
        this.log = log;
        this.nanoTime = nanoTime;
        this.timer = timed
                ? Flux.interval(PAUSE.dividedBy(6)).onBackpressureDrop().subscribe(tick -> logPending())
                : () -> {};
    }

    /** Returns a limiter that writes into this log until it is closed. */
    public static WarningLimiter to(Logger log) {
        return new WarningLimiter(log, System::nanoTime, true);
    }

    /** Returns a limiter that logs repetitions only on {@link #logPending}. */
    static WarningLimiter untimed(Logger log, LongSupplier nanoTime) {
        return new WarningLimiter(log, nanoTime, false);
    }

    /**
     * @param subject the backend or bucket, and the kind of its failure
     * @param failure logged with its stack trace if it is unexpected
     */
    void warn(String subject, String message, Throwable failure) {
        long now = nanoTime.getAsLong();
        Repeats after = repeats.size() < MOST || repeats.containsKey(subject)
                ? repeats.merge(
                        subject,
                        new Repeats(now, 0, message),
                        (before, one) -> new Repeats(before.since(), before.count() + 1, message))
                : new Repeats(now, 1, message);
        if (after.count() > 0) {
            return;
        }
        if (failure instanceof BackendException earlier && earlier.kind() != FailureKind.UNEXPECTED) {
            log.warn("{}: {}", subject, message);
        } else {
            log.warn("{}: {}", subject, message, failure);
        }
    }

    /** Logs the repetitions of each warning whose pause is over, and forgets those without any. */
    void logPending() {
        long now = nanoTime.getAsLong();
        repeats.forEach((subject, earlier) -> {
            if (now - earlier.since() >= PAUSE.toNanos()) {
                logPending(subject, now);
            }
        });
    }

    private void logPending(String subject, long now) {
        repeats.computeIfPresent(subject, (same, earlier) -> {
            if (earlier.count() == 0) {
                return null;
            }
            long seconds = Duration.ofNanos(now - earlier.since()).toSeconds();
            log.warn("{}: {} more in the last {} s, the last: {}", subject, earlier.count(), seconds, earlier.last());
            return new Repeats(now, 0, earlier.last());
        });
    }

    @Override
    public void close() {
        timer.dispose();
    }
}
