package io.millrace.backend.resilience;

import io.millrace.backend.resilience.AdaptiveConcurrencyLimit.Acquisition;
import io.millrace.backend.resilience.AdaptiveConcurrencyLimit.Waiter;
import java.util.concurrent.atomic.AtomicReference;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One try of a call: admitted by the circuit breaker and the concurrency limit, which learn its outcome. One operator for
 * all three, because each try passes it.
 */
final class GuardedAttempt<T> extends Mono<T> {
    private final Mono<T> once;
    private final BackendGuard guard;

    GuardedAttempt(Mono<T> once, BackendGuard guard) {
        this.once = once;
        this.guard = guard;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> actual) {
        CircuitBreaker.Admission admission = guard.breaker().admit();
        if (admission == CircuitBreaker.Admission.REFUSED) {
            Operators.error(actual, guard.refuseWhileDown());
            return;
        }
        Attempt<T> attempt = new Attempt<>(actual, once, guard);
        actual.onSubscribe(attempt);
        if (admission == CircuitBreaker.Admission.PROBE) {
            attempt.probe();
        } else {
            attempt.acquire();
        }
    }

    private enum State {
        WAITING,
        /** Sent, with a place of the limit. */
        SENT,
        /** Sent without a place. */
        PROBING,
        ENDED
    }

    private static final class Attempt<T> extends Operators.DeferredSubscription implements CoreSubscriber<T>, Waiter {
        private final CoreSubscriber<? super T> actual;
        private final Mono<T> once;
        private final BackendGuard guard;
        private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

        Attempt(CoreSubscriber<? super T> actual, Mono<T> once, BackendGuard guard) {
            this.actual = actual;
            this.once = once;
            this.guard = guard;
        }

        void probe() {
            if (state.compareAndSet(State.WAITING, State.PROBING)) {
                once.subscribe(this);
            }
        }

        void acquire() {
            Acquisition acquisition = guard.limit().acquire(this);
            if (acquisition == Acquisition.GRANTED) {
                granted();
            } else if (acquisition == Acquisition.REFUSED && state.compareAndSet(State.WAITING, State.ENDED)) {
                actual.onError(guard.refuseWhileCrowded());
            }
        }

        @Override
        public void granted() {
            if (guard.breaker().isOpen()) {
                guard.limit().release();
                refused();
            } else if (state.compareAndSet(State.WAITING, State.SENT)) {
                once.subscribe(this);
            } else {
                guard.limit().release();
            }
        }

        @Override
        public void refused() {
            if (state.compareAndSet(State.WAITING, State.ENDED)) {
                actual.onError(guard.refuseWhileDown());
            }
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            set(subscription);
        }

        @Override
        public void onNext(T response) {
            if (end()) {
                guard.succeeded();
            }
            actual.onNext(response);
        }

        @Override
        public void onComplete() {
            if (end()) {
                guard.succeeded();
            }
            actual.onComplete();
        }

        @Override
        public void onError(Throwable failure) {
            if (end()) {
                guard.failed(failure);
            }
            actual.onError(failure);
        }

        @Override
        public void cancel() {
            super.cancel();
            if (state.compareAndSet(State.WAITING, State.ENDED)) {
                guard.limit().remove(this);
            } else {
                end();
            }
        }

        /** Gives the place back; returns whether this was the first end. */
        private boolean end() {
            State before = state.getAndSet(State.ENDED);
            if (before == State.SENT) {
                guard.limit().release();
            }
            return before != State.ENDED;
        }

        @Override
        public Context currentContext() {
            return actual.currentContext();
        }
    }
}
