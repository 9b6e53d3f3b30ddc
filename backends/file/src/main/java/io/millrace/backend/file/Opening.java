package io.millrace.backend.file;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/**
 * Opens an object on the pool. Written out because what comes of it must be closed: Reactor's own way from a call to a
 * {@code Mono} drops a result that comes when the subscriber has just left.
 */
final class Opening extends Mono<ObjectContent> {
    private final Opener opener;
    private final FilePool pool;

    /** Opens it, on the thread that calls. */
    @FunctionalInterface
    interface Opener {
        ObjectContent open() throws IOException;
    }

    Opening(Opener opener, FilePool pool) {
        this.opener = opener;
        this.pool = pool;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ObjectContent> subscriber) {
        subscriber.onSubscribe(new Attempt(subscriber));
    }

    private enum State {
        NOT_ASKED,
        UNDER_WAY,
        ENDED
    }

    private final class Attempt implements Subscription, Runnable {
        private final CoreSubscriber<? super ObjectContent> subscriber;
        private final AtomicReference<State> state = new AtomicReference<>(State.NOT_ASKED);

        Attempt(CoreSubscriber<? super ObjectContent> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void request(long count) {
            if (!Operators.validate(count) || !state.compareAndSet(State.NOT_ASKED, State.UNDER_WAY)) {
                return;
            }
            try {
                pool.execute(this);
            } catch (RejectedExecutionException e) {
                fail(FilePool.closed());
            }
        }

        @Override
        public void cancel() {
            state.set(State.ENDED);
        }

        @Override
        public void run() {
            if (state.get() == State.ENDED) {
                return;
            }
            try {
                handOver(opener.open());
            } catch (BackendException e) {
                fail(e);
            } catch (IOException e) {
                fail(FileErrors.of(e));
            } catch (RuntimeException | Error e) { // an Error too, or the request would wait for ever
                fail(new BackendException(BackendException.Kind.UNEXPECTED, "opening failed", e));
            }
        }

        private void handOver(ObjectContent content) {
            if (state.compareAndSet(State.UNDER_WAY, State.ENDED)) {
                subscriber.onNext(content);
                subscriber.onComplete();
            } else {
                content.discard();
            }
        }

        private void fail(BackendException failure) {
            if (state.compareAndSet(State.UNDER_WAY, State.ENDED)) {
                subscriber.onError(failure);
            }
        }
    }
}
