package io.millrace.gateway.jobs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.kit.async.RateLimiter;
import io.millrace.kit.async.UncancellableMono;
import io.millrace.kit.share.FairSemaphore;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Sends the writes of a job, and ends them when the job stops. A cancel does not interrupt a write, because its effect
 * would be unknown; a stop fails its body instead, and {@link #stop} completes when the last write has ended.
 * Thread-safe.
 */
final class StoppableWrites {
    private final FencedWrites writes;
    private final RateLimiter bandwidth;
    private final FairSemaphore turns;
    private final Sinks.Empty<Void> stopping = Sinks.empty();
    private final Sinks.Empty<Void> idle = Sinks.empty();
    private boolean isStopped;
    private int underWay;

    /**
     * Creates a sender.
     *
     * @param bandwidth limits the bytes that the job moves
     * @param parts that all objects together send concurrently
     */
    StoppableWrites(FencedWrites writes, RateLimiter bandwidth, int parts) {
        this.writes = writes;
        this.bandwidth = bandwidth;
        this.turns = new FairSemaphore(parts);
    }

    /** Writes one object inside the write fence; see {@link FencedWrites#fenced}. */
    <T> Mono<T> fenced(BucketView bucket, ObjectRef object, Mono<T> write) {
        return uncut(writes.fenced(bucket, object, write));
    }

    /** Runs a step to its end even if the subscriber cancels; fails at once after a stop. */
    <T> Mono<T> uncut(Mono<T> step) {
        return Mono.defer(() -> begin() ? UncancellableMono.of(step.doFinally(end -> end())) : Mono.error(stopped()));
    }

    /**
     * Applies the rate limit to a body and fails it on a stop. Every body that a job sends to a backend passes through
     * here.
     */
    Flux<ByteBuf> limited(Flux<ByteBuf> pieces) {
        return new StoppableFlux(bandwidth.paced(pieces), stopping.asMono(), StoppableWrites::stopped);
    }

    /**
     * Waits until a copy that a backend makes by itself may begin: once all bytes before it are within the limit. Its
     * own bytes cannot be slowed down, so the next one waits for them.
     */
    Mono<Void> turn(long bytes) {
        return bandwidth.take(bytes);
    }

    /**
     * Returns the concurrent parts of one object. It is one under a rate limit, so that a stop finds complete parts.
     */
    int partsAtOnce() {
        return bandwidth.isLimited() ? 1 : PartPlan.AT_ONCE;
    }

    /** Sends a part when fewer than the most of them are under way. */
    <T> Mono<T> inTurn(Mono<T> part) {
        return turns.run(Party.GATEWAY, part);
    }

    /** Lets no more writes begin and fails the bodies of those under way; completes when none is left. */
    Mono<Void> stop() {
        return Mono.defer(() -> {
            synchronized (this) {
                isStopped = true;
            }
            stopping.tryEmitEmpty();
            completeIfIdle();
            return idle.asMono();
        });
    }

    private synchronized boolean begin() {
        if (!isStopped) {
            underWay++;
        }
        return !isStopped;
    }

    private void end() {
        synchronized (this) {
            underWay--;
        }
        completeIfIdle();
    }

    private void completeIfIdle() {
        boolean isIdle;
        synchronized (this) {
            isIdle = isStopped && underWay == 0;
        }
        if (isIdle) {
            idle.tryEmitEmpty();
        }
    }

    /** Not a failure of the body, because the backend may have stored the whole object of a stopped write. */
    private static BackendException stopped() {
        return new BackendException(BackendException.FailureKind.UNAVAILABLE, "the job was stopped");
    }
}
