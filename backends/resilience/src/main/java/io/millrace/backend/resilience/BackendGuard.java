package io.millrace.backend.resilience;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BucketManager;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Runs the calls of one backend: within their deadline, retried where that is harmless and the budget allows it,
 * stopped while the backend is down. From the outside: deadline, retries, hedging, {@link GuardedAttempt}. Thread-safe.
 */
final class BackendGuard {
    private static final Logger log = LoggerFactory.getLogger(BackendGuard.class);

    private static final double RETRY_SHARE = 0.1;
    private static final double HEDGE_SHARE = 0.05;

    /**
     * How long a probe may have no answer until the backend counts as down; the probe itself goes on until the
     * deadline.
     */
    private static final Duration PROBE_PATIENCE = Duration.ofSeconds(2);

    private final String name;
    private final ResilienceSettings settings;
    private final LongSupplier nanoTime;
    private final Scheduler scheduler;
    private final CircuitBreaker breaker;
    private final AdaptiveConcurrencyLimit limit;
    private final ResilienceStats stats;
    private final BucketProbe probe;
    private final StreamAdmission streams;
    private final RetryBackoff backoff =
            new RetryBackoff(() -> ThreadLocalRandom.current().nextDouble());
    private final ExtraRequestBudget retryBudget = new ExtraRequestBudget(RETRY_SHARE);
    private final ExtraRequestBudget hedgeBudget = new ExtraRequestBudget(HEDGE_SHARE);

    /**
     * @param buckets of the backend, unguarded
     * @param maxConnections the most connections of the backend
     */
    BackendGuard(String name, BucketManager buckets, ResilienceSettings settings, int maxConnections) {
        this(name, buckets, settings, maxConnections, System::nanoTime, Schedulers.parallel());
    }

    BackendGuard(
            String name,
            BucketManager buckets,
            ResilienceSettings settings,
            int maxConnections,
            LongSupplier nanoTime,
            Scheduler scheduler) {
        this.name = name;
        this.probe = new BucketProbe(buckets);
        this.settings = settings;
        this.nanoTime = nanoTime;
        this.scheduler = scheduler;
        this.breaker = new CircuitBreaker(nanoTime);
        this.limit =
                new AdaptiveConcurrencyLimit(settings.maxRequests(), maxConnections, nanoTime, scheduler::schedule);
        int most = settings.maxClientStreams().orElse(share(maxConnections));
        ClientStreams all = new ClientStreams(most, nanoTime);
        this.stats = new ResilienceStats(breaker, limit, all);
        this.streams = new StreamAdmission(
                name,
                all,
                new ClientStreams(Math.min(most, share(settings.maxRequests())), nanoTime),
                stats,
                nanoTime,
                scheduler);
    }

    /** Returns what clients may hold as long as they like: three quarters, so that the rest serves others. */
    private static int share(int of) {
        return Math.max(1, of - of / 4);
    }

    StreamAdmission streams() {
        return streams;
    }

    ResilienceStats stats() {
        return stats;
    }

    CircuitBreaker breaker() {
        return breaker;
    }

    AdaptiveConcurrencyLimit limit() {
        return limit;
    }

    /**
     * Runs a call at each subscription.
     *
     * @param discard takes a response that comes too late
     */
    <T> Mono<T> run(GuardedCall<T> call, Consumer<T> discard) {
        return Mono.defer(() -> {
            retryBudget.earn();
            Duration deadline = call.deadline();
            long end = nanoTime.getAsLong() + deadline.toNanos();
            SentTries sent = new SentTries();
            Mono<T> tries = tries(call.recording(sent), discard, 1, end);
            Mono<T> inTime = deadline.isZero() ? tries : tries.timeout(deadline, late(call, sent), scheduler);
            return inTime.onErrorMap(BackendException.class, sent::ofCall);
        });
    }

    private <T> Mono<T> tries(GuardedCall<T> call, Consumer<T> discard, int number, long end) {
        long begin = nanoTime.getAsLong();
        return once(call, discard).onErrorResume(BackendException.class, failure -> {
            Optional<Duration> pause = pause(call, failure, number, begin, end);
            if (pause.isEmpty()) {
                return Mono.error(failure);
            }
            stats.retries.increment();
            return Mono.delay(pause.get(), scheduler).then(Mono.defer(() -> tries(call, discard, number + 1, end)));
        });
    }

    private <T> Mono<T> once(GuardedCall<T> call, Consumer<T> discard) {
        Mono<T> attempt = new GuardedAttempt<>(call, this);
        Optional<Duration> after = settings.hedgeAfter();
        if (!call.hedged() || after.isEmpty()) {
            return attempt;
        }
        hedgeBudget.earn();
        return HedgedCall.of(attempt, after.get(), this::mayHedge, discard, scheduler);
    }

    private boolean mayHedge() {
        boolean allowed = !breaker.isOpen() && hedgeBudget.spend();
        if (allowed) {
            stats.hedges.increment();
        }
        return allowed;
    }

    /** Returns the pause before a retry; empty for none. A retry needs as much time as the try took that failed. */
    private Optional<Duration> pause(GuardedCall<?> call, BackendException failure, int number, long begin, long end) {
        boolean mayHelp = failure.kind().isTemporary()
                && !(failure instanceof RequestRefusedException)
                && number < settings.tries()
                && !breaker.isOpen()
                && call.repeatable().test(failure);
        if (!mayHelp) {
            return Optional.empty();
        }
        long now = nanoTime.getAsLong();
        long most = call.deadline().isZero() ? Long.MAX_VALUE : end - now - (now - begin);
        return backoff.pause(failure, number).filter(pause -> pause.toNanos() <= most && retryBudget.spend());
    }

    /** @param sent a call that waits for its turn, of its first try or of a retry, says nothing of the backend */
    private <T> Mono<T> late(GuardedCall<T> call, SentTries sent) {
        return Mono.error(() -> {
            stats.deadlines.increment();
            if (!sent.isAnyUnderWay()) {
                return lateInTheQueue(call.deadline());
            }
            long seconds = Math.max(1, call.deadline().toSeconds());
            String message = "no response within %d s, waits and retries included".formatted(seconds);
            countFailure(message, call);
            return new BackendException(FailureKind.UNAVAILABLE, message).withBackend(name);
        });
    }

    /** Records a response. */
    void succeeded(GuardedCall<?> call) {
        probe.answered(call.bucket());
        answered();
        limit.answered();
    }

    private void answered() {
        if (breaker.isOpen()) {
            log.info("Backend '{}' is back; all requests are sent again", name);
        }
        breaker.succeeded();
    }

    /** Records a failed try. The failure of a request body, or of another backend in it, is not this backend's. */
    void failed(Throwable failure, GuardedCall<?> call) {
        if (!(failure instanceof BackendException known)
                || known.backend().filter(other -> !other.equals(name)).isPresent()) {
            return;
        }
        switch (known.kind()) {
            case UNAVAILABLE, CREDENTIALS_UNAVAILABLE -> countFailure(String.valueOf(known.getMessage()), call);
            case THROTTLED -> {
                limit.throttled();
                if (breaker.throttled(String.valueOf(known.getMessage()))) {
                    suspect(
                            "%d requests or more in a row were throttled, for %d s"
                                    .formatted(CircuitBreaker.MIN_FAILURES, CircuitBreaker.MIN_THROTTLING.toSeconds()),
                            call);
                }
            }
            case BUSY -> {} // Of the gateway: it says nothing of the backend, which was perhaps not even asked.
            default -> {
                // A request that the backend's client refused says nothing of the backend either.
                if (!known.isUnprocessed()) {
                    answered();
                    limit.answered();
                }
            }
        }
    }

    private void countFailure(String message, GuardedCall<?> call) {
        if (breaker.failed(message)) {
            suspect("%d requests or more have failed in a row".formatted(CircuitBreaker.MIN_FAILURES), call);
        }
    }

    /** Finds out whether the backend fails, or only what clients ask of it. */
    private void suspect(String reason, GuardedCall<?> call) {
        probe.failed(call.bucket());
        probe().filter(works -> !works && breaker.open()).subscribe(down -> {
            log.warn(
                    "Backend '{}' is down: {}, and a request of the gateway's own has no answer; it is asked once a"
                            + " second until it answers, and clients get what is cached, or 503",
                    name,
                    reason);
            limit.refuseWaiting();
        });
    }

    /**
     * Asks the backend now, whether anybody waits for the answer or not. Returns whether it works; empty if it was not
     * asked.
     */
    Mono<Boolean> probe() {
        Mono<Boolean> asked = probe.works()
                .timeout(settings.deadline(), Mono.just(false), scheduler)
                .doOnNext(works -> {
                    if (works) {
                        answered();
                    }
                })
                .cache();
        Disposable unused = asked.subscribe();
        return asked.timeout(PROBE_PATIENCE, Mono.just(false), scheduler);
    }

    BackendException refuseWhileDown() {
        stats.refusals.increment();
        return RequestRefusedException.down(
                name, breaker.lastFailure().map(last -> "Last failure: " + last).orElse(""));
    }

    /** Has this run when a call that begins now would have reached the usual deadline. */
    Disposable atDeadline(Runnable late) {
        return scheduler.schedule(late, settings.deadline().toNanos(), TimeUnit.NANOSECONDS);
    }

    BackendException refuseLate() {
        stats.deadlines.increment();
        return lateInTheQueue(settings.deadline());
    }

    private BackendException lateInTheQueue(Duration deadline) {
        return RequestRefusedException.lateInTheQueue(name, Math.max(1, deadline.toSeconds()));
    }

    BackendException refuseWhileCrowded() {
        stats.refusals.increment();
        return RequestRefusedException.crowded(name);
    }
}
