package io.millrace.backend.resilience;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Scheduler;
import reactor.util.context.Context;

/**
 * A call that is sent a second time if it has no response after a while; the first response wins and the other call is
 * cancelled. It fails only when all calls that were sent have failed.
 */
final class HedgedCall<T> {
    private final Mono<T> once;
    private final MonoSink<T> sink;
    private final Consumer<T> discard;
    private final Disposable.Composite running = Disposables.composite();
    private int unanswered;
    private boolean ended;

    private HedgedCall(Mono<T> once, MonoSink<T> sink, Consumer<T> discard) {
        this.once = once;
        this.sink = sink;
        this.discard = discard;
    }

    /**
     * Hedges a call.
     *
     * @param after the time without a response
     * @param allowed asked once before a second call is sent
     * @param discard takes a response that comes too late
     */
    static <T> Mono<T> of(
            Mono<T> once, Duration after, BooleanSupplier allowed, Consumer<T> discard, Scheduler scheduler) {
        return Mono.create(sink -> {
            HedgedCall<T> call = new HedgedCall<>(once, sink, discard);
            sink.onDispose(call.running);
            call.send();
            call.sendAgainAfter(after, allowed, scheduler);
        });
    }

    private void sendAgainAfter(Duration after, BooleanSupplier allowed, Scheduler scheduler) {
        if (!running.isDisposed()) {
            running.add(scheduler.schedule(() -> sendAgain(allowed), after.toNanos(), TimeUnit.NANOSECONDS));
        }
    }

    private void sendAgain(BooleanSupplier allowed) {
        synchronized (this) {
            if (ended || unanswered == 0) {
                return;
            }
        }
        if (allowed.getAsBoolean()) {
            send();
        }
    }

    private void send() {
        synchronized (this) {
            if (ended) {
                return;
            }
            unanswered++;
        }
        running.add(once.subscribe(this::answered, this::failed, this::completed, Context.of(sink.contextView())));
    }

    private void answered(T response) {
        if (end()) {
            sink.success(response);
        } else {
            discard.accept(response);
        }
    }

    private void completed() {
        if (lastEnded()) {
            sink.success();
        }
    }

    private void failed(Throwable failure) {
        if (lastEnded()) {
            sink.error(failure);
        }
    }

    private synchronized boolean end() {
        boolean first = !ended;
        ended = true;
        return first;
    }

    /** Counts a call that ended without a response; returns whether it was the last one. */
    private synchronized boolean lastEnded() {
        unanswered--;
        if (ended || unanswered > 0) {
            return false;
        }
        ended = true;
        return true;
    }
}
