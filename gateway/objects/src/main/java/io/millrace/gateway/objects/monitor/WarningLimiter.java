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
 * Logs a warning once, and then with the number of repetitions after a {@link #PAUSE}, which doubles with each line up
 * to {@link #LONGEST}, so that a failing backend does not cost a line per request, nor a missing bucket one a minute
 * for ever. What has been quiet for {@link #QUIET} begins anew. The subjects are few: backends and buckets of the
 * settings, times kinds of failures. Thread-safe.
 */
public final class WarningLimiter implements AutoCloseable {
    static final Duration PAUSE = Duration.ofMinutes(1);
    static final Duration LONGEST = Duration.ofHours(1);

    /** Longer than the minute between two checks of what fails. */
    static final Duration QUIET = Duration.ofMinutes(3);

    /** The most subjects; warnings of further ones are dropped until one of these is quiet. */
    private static final int MOST = 10_000;

    private final Logger log;
    private final LongSupplier nanoTime;
    private final ConcurrentMap<String, Repeats> repeats = new ConcurrentHashMap<>();
    private final Disposable timer;

    /**
     * @param since time of its last line
     * @param pause nanoseconds from that to the next
     * @param at time of the last repetition
     */
    private record Repeats(long since, long pause, long at, long count, String last) {
        private static Repeats begun(long now, String message) {
            return new Repeats(now, PAUSE.toNanos(), now, 0, message);
        }

        private Repeats another(long now, String message) {
            return new Repeats(since, pause, now, count + 1, message);
        }

        private Repeats logged(long now) {
            return new Repeats(now, Math.min(2 * pause, LONGEST.toNanos()), at, 0, last);
        }

        private boolean isQuiet(long now) {
            return now - at >= QUIET.toNanos();
        }
    }

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
                ? repeats.merge(subject, Repeats.begun(now, message), (before, one) -> before.another(now, message))
                : Repeats.begun(now, message).another(now, message);
        if (after.count() > 0) {
            return;
        }
        if (failure instanceof BackendException earlier && earlier.kind() != FailureKind.UNEXPECTED) {
            log.warn("{}: {}", subject, message);
        } else {
            log.warn("{}: {}", subject, message, failure);
        }
    }

    /**
     * Logs the repetitions of each warning whose pause is over, or which is quiet, and forgets those that are quiet.
     */
    void logPending() {
        long now = nanoTime.getAsLong();
        repeats.forEach((subject, earlier) -> {
            if (now - earlier.since() >= earlier.pause() || earlier.isQuiet(now)) {
                logPending(subject, now);
            }
        });
    }

    private void logPending(String subject, long now) {
        repeats.computeIfPresent(subject, (same, earlier) -> {
            if (earlier.count() > 0) {
                long seconds = Duration.ofNanos(now - earlier.since()).toSeconds();
                log.warn(
                        "{}: {} more in the last {} s, the last: {}",
                        subject,
                        earlier.count(),
                        seconds,
                        earlier.last());
            }
            if (earlier.isQuiet(now)) {
                return null;
            }
            return earlier.count() > 0 ? earlier.logged(now) : earlier;
        });
    }

    @Override
    public void close() {
        timer.dispose();
    }
}
