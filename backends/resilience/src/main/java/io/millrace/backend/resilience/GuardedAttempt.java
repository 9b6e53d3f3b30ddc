package io.millrace.backend.resilience;

import io.millrace.backend.resilience.AdaptiveConcurrencyLimit.Acquisition;
import io.millrace.backend.resilience.AdaptiveConcurrencyLimit.Waiter;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.TierRequest;
import io.millrace.kit.share.Party;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One try of a call: admitted by the circuit breaker and the concurrency limit, which learn its outcome. One operator
 * for all three, because each try passes it.
 */
final class GuardedAttempt<T> extends Mono<T> {
    private final GuardedCall<T> call;
    private final BackendGuard guard;

    GuardedAttempt(GuardedCall<T> call, BackendGuard guard) {
        this.call = call;
        this.guard = guard;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        CircuitBreaker.Admission admission = guard.breaker().admit();
        if (admission == CircuitBreaker.Admission.REFUSED) {
            Operators.error(actual, guard.refuseWhileDown());
            return;
        }
        Attempt<T> attempt = new Attempt<>(actual, call, guard);
        actual.onSubscribe(attempt);
        if (admission == CircuitBreaker.Admission.PROBE) {
            attempt.awaitProbe();
        } else {
            attempt.acquire();
        }
    }

    private enum State {
        WAITING,
        /** Sent, with a place of the limit. */
        SENT,
        ENDED
    }

    private static final class Attempt<T> extends Operators.DeferredSubscription implements CoreSubscriber<T>, Waiter {
        private final CoreSubscriber<? super T> actual;
        private final GuardedCall<T> call;
        private final BackendGuard guard;
        private final Party party;
        private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

        /** Ends the wait of a call without a deadline; null if it has one, or does not wait. */
        private volatile @Nullable Disposable timer;

        Attempt(CoreSubscriber<? super T> actual, GuardedCall<T> call, BackendGuard guard) {
            this.actual = actual;
            this.call = call;
            this.guard = guard;
            this.party = TierRequest.from(actual.currentContext()).party();
        }

        @Override
        public Party party() {
            return party;
        }

        @Override
        public boolean isUpload() {
            return call.isUpload();
        }

        /** Waits for the answer to a probe. The probe goes on if this request's client leaves. */
        void awaitProbe() {
            guard.probe().defaultIfEmpty(false).subscribe(works -> {
                if (!works) {
                    refused();
                } else if (state.get() == State.WAITING) {
                    acquire();
                }
            });
        }

        void acquire() {
            Acquisition acquisition = guard.limit().acquire(this);
            if (acquisition == Acquisition.GRANTED) {
                granted();
            } else if (acquisition == Acquisition.REFUSED) {
                refuse(guard::refuseWhileCrowded);
            } else if (call.deadline().isZero()) {
                Disposable started = guard.atDeadline(this::late);
                timer = started;
                if (state.get() != State.WAITING) {
                    // Its turn came before the timer was known.
                    started.dispose();
                }
                guard.streams().uploadWaits(party);
            }
        }

        private void late() {
            boolean unused = guard.limit().remove(this);
            refuse(guard::refuseLate);
        }

        private void refuse(Supplier<BackendException> reason) {
            if (endWait(State.ENDED)) {
                actual.onError(reason.get());
            }
        }

        /** Returns false if the wait has ended already. */
        private boolean endWait(State next) {
            boolean isFirst = state.compareAndSet(State.WAITING, next);
            Disposable started = timer;
            if (isFirst && started != null) {
                started.dispose();
            }
            return isFirst;
        }

        @Override
        public void granted() {
            if (guard.breaker().isOpen()) {
                guard.limit().release(call.isUpload());
                refused();
            } else if (endWait(State.SENT)) {
                send();
            } else {
                guard.limit().release(call.isUpload());
            }
        }

        /** Sends the request. What is thrown ends it alone: others wait for their turn behind it. */
        private void send() {
            try {
                call.once().subscribe(this);
            } catch (RuntimeException | OutOfMemoryError failure) {
                onError(failure);
            }
        }

        @Override
        public void refused() {
            refuse(guard::refuseWhileDown);
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            set(subscription);
        }

        @Override
        public void onNext(T response) {
            State before = state.getAndSet(State.ENDED);
            if (before != State.ENDED) {
                guard.succeeded(call);
            }
            actual.onNext(before == State.SENT ? released(response) : response);
        }

        /** Gives the place back, and with the end of the body the connection. */
        private T released(T response) {
            if (call.streaming().isEmpty()) {
                guard.limit().release(call.isUpload());
                return response;
            }
            AtomicBoolean open = new AtomicBoolean(true);
            T held = call.streaming().get().apply(response, () -> {
                if (open.getAndSet(false)) {
                    guard.limit().disconnected();
                }
            });
            guard.limit().responded();
            return held;
        }

        @Override
        public void onComplete() {
            if (end()) {
                guard.succeeded(call);
            }
            actual.onComplete();
        }

        @Override
        public void onError(Throwable failure) {
            if (end()) {
                guard.failed(failure, call);
            }
            actual.onError(failure);
        }

        @Override
        public void cancel() {
            super.cancel();
            if (endWait(State.ENDED)) {
                guard.limit().remove(this);
            } else {
                end();
            }
        }

        /** Gives the place back; returns whether this was the first end. */
        private boolean end() {
            State before = state.getAndSet(State.ENDED);
            if (before == State.SENT) {
                guard.limit().release(call.isUpload());
            }
            return before != State.ENDED;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }
    }
}
