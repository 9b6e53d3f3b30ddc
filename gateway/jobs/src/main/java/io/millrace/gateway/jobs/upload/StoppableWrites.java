package io.millrace.gateway.jobs.upload;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.jobs.request.RateLimiter;
import io.millrace.gateway.jobs.store.PartPlan;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.FencedWrites;
import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Sends the requests of one run of a job that change something at a backend, and ends them when the run stops. A request that has begun
 * is not cut off when its subscriber leaves, because then nobody would know what it did: its body fails instead, and {@link #stop}
 * completes when the last request has ended. Safe for use by any number of threads.
 */
public final class StoppableWrites {
    private final FencedWrites writes;
    private final RateLimiter bandwidth;
    private final Sinks.Empty<Void> stopping = Sinks.empty();
    private final Sinks.Empty<Void> idle = Sinks.empty();
    private boolean isStopped;
    private int underWay;

    /** @param bandwidth of the bytes that the job moves */
    public StoppableWrites(FencedWrites writes, RateLimiter bandwidth) {
        this.writes = writes;
        this.bandwidth = bandwidth;
    }

    /** A write of one object, behind the fence; see {@link FencedWrites#fenced}. */
    public <T> Mono<T> fenced(BucketView bucket, ObjectRef object, Mono<T> write) {
        return uncut(writes.fenced(bucket, object, write));
    }

    /** Runs a step to its end, whether or not its subscriber stays; fails without beginning it once the run stops. */
    public <T> Mono<T> uncut(Mono<T> step) {
        return Mono.defer(() -> {
            if (!begin()) {
                return Mono.error(stopped());
            }
            Sinks.One<T> outcome = Sinks.one();
            step.doFinally(end -> end()).subscribe(outcome::tryEmitValue, outcome::tryEmitError, outcome::tryEmitEmpty);
            return outcome.asMono();
        });
    }

    /** The same bytes at the pace of the job; they fail when the run stops. Every byte that a job moves to a backend goes this way. */
    public Flux<ByteBuf> limited(Flux<ByteBuf> pieces) {
        return new StoppableFlux(bandwidth.paced(pieces), stopping.asMono(), StoppableWrites::stopped)
                .doOnDiscard(ByteBuf.class, ByteBuf::release);
    }

    /** Parts of one object to be under way together: where bytes have a limit, one, so that a stop finds whole ones. */
    int partsAtOnce() {
        return bandwidth.isLimited() ? 1 : PartPlan.AT_ONCE;
    }

    /** Lets no more requests begin, and ends the bodies of those under way; completes when none is. */
    public Mono<Void> stop() {
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

    /** Not of the body's kind: whether the backend has all of an object whose write was stopped is not known. */
    private static BackendException stopped() {
        return new BackendException(BackendException.FailureKind.UNAVAILABLE, "the job was stopped");
    }
}
