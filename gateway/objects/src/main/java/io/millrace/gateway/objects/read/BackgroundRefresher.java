package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.BackendException;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Revalidates stale objects and listings in the background: one request at a time per object or page, and a bounded
 * number per backend, so that readers of stale content cannot overload it. It remembers which of them have no answer
 * for long, so that a backend that hangs is waited for by one reader and not by each. Thread-safe.
 */
final class BackgroundRefresher {
    /** The maximum of concurrent refreshes per backend; a refresh beyond that is left to the next reader. */
    static final int MAX_PER_BACKEND = 64;

    /**
     * How long a revalidation may have no answer until who waits for it gets stale content, if that is allowed when the
     * backend fails: longer than distant backends take, shorter than clients are patient.
     */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final Logger log = LoggerFactory.getLogger(BackgroundRefresher.class);

    private final ConcurrentMap<String, Refreshes> ofBackend = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;
    private final Scheduler timer;

    /** The refreshes of one backend. */
    private static final class Refreshes {
        /** When the first request for each subject was sent. */
        final ConcurrentMap<Object, Long> running = new ConcurrentHashMap<>();

        final AtomicInteger count = new AtomicInteger();

        /** When a revalidation was last answered; null before the first answer. */
        volatile @Nullable Long answeredAt;

        void ended(Object what) {
            count.decrementAndGet();
            running.remove(what);
        }
    }

    BackgroundRefresher() {
        this(System::nanoTime, Schedulers.parallel());
    }

    /**
     * @param nanoTime as {@link System#nanoTime}
     * @param timer ends the waits
     */
    BackgroundRefresher(LongSupplier nanoTime, Scheduler timer) {
        this.nanoTime = nanoTime;
        this.timer = timer;
    }

    /**
     * Starts a refresh unless one of the same subject is running or too many are. A failure is only logged; the next
     * reader meets it.
     *
     * @param what the subject, with value equality; distinct from all other subjects
     */
    void refresh(String backend, Object what, Mono<?> revalidation) {
        refresh(of(backend), what, revalidation, nanoTime.getAsLong());
    }

    /**
     * Returns the response to a revalidation, or what is stale if it has none soon: after {@link #PATIENCE}; at once if
     * one of the same subject has waited that long already, or one of the same backend has and no revalidation was
     * answered since (other requests do not count). The revalidation then goes on in the background.
     *
     * @param revalidation does not end when its subscribers leave, and a further subscriber joins it
     * @param stale makes the stale response
     */
    <T> Mono<T> answerOrStale(String backend, Object what, Mono<T> revalidation, Supplier<T> stale) {
        return Mono.defer(() -> {
            Refreshes refreshes = of(backend);
            long now = nanoTime.getAsLong();
            if (isOverdue(refreshes, what, now)) {
                refresh(refreshes, what, revalidation, now);
                return Mono.fromSupplier(stale);
            }
            Mono<T> late = Mono.fromSupplier(() -> {
                refresh(refreshes, what, revalidation, now);
                return stale.get();
            });
            return noting(refreshes, revalidation).timeout(PATIENCE, late, timer);
        });
    }

    private void refresh(Refreshes refreshes, Object what, Mono<?> revalidation, long since) {
        if (refreshes.running.putIfAbsent(what, since) != null) {
            return;
        }
        if (refreshes.count.incrementAndGet() > MAX_PER_BACKEND) {
            refreshes.ended(what);
            return;
        }
        noting(refreshes, revalidation)
                .doFinally(end -> refreshes.ended(what))
                .subscribe(refreshed -> {}, failure -> log.debug("The background refresh of {} failed", what, failure));
    }

    private <T> Mono<T> noting(Refreshes refreshes, Mono<T> revalidation) {
        return revalidation
                .doOnSuccess(answer -> refreshes.answeredAt = nanoTime.getAsLong())
                .doOnError(failure -> {
                    if (!(failure instanceof BackendException known
                            && known.kind().isTemporary())) {
                        refreshes.answeredAt = nanoTime.getAsLong();
                    }
                });
    }

    private static boolean isOverdue(Refreshes refreshes, Object what, long now) {
        Long own = refreshes.running.get(what);
        return (own != null && isOverdue(own, now))
                || refreshes.running.values().stream()
                        .anyMatch(since -> isOverdue(since, now) && isUnansweredSince(refreshes, since));
    }

    private static boolean isOverdue(long since, long now) {
        return now - since >= PATIENCE.toNanos();
    }

    private static boolean isUnansweredSince(Refreshes refreshes, long since) {
        Long answered = refreshes.answeredAt;
        return answered == null || answered - since < 0;
    }

    private Refreshes of(String backend) {
        return ofBackend.computeIfAbsent(backend, absent -> new Refreshes());
    }
}
