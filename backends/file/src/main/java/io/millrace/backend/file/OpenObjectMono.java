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
 * Opens an object on the thread pool and closes it if the subscriber has cancelled. Reactor's own operators drop a
 * result that comes after the cancellation, which would leak the open file.
 */
final class OpenObjectMono extends Mono<ObjectContent> {
    private final Opener opener;
    private final FileThreadPool pool;

    /** Opens the object on the calling thread. */
    @FunctionalInterface
    interface Opener {
        ObjectContent open() throws IOException;
    }

    OpenObjectMono(Opener opener, FileThreadPool pool) {
        this.opener = opener;
        this.pool = pool;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ObjectContent> subscriber) {
        subscriber.onSubscribe(new OpenSubscription(subscriber));
    }

    private enum State {
        NOT_REQUESTED,
        UNDER_WAY,
        ENDED
    }

    private final class OpenSubscription implements Subscription, Runnable {
        private final CoreSubscriber<? super ObjectContent> subscriber;
        private final AtomicReference<State> state = new AtomicReference<>(State.NOT_REQUESTED);

        OpenSubscription(CoreSubscriber<? super ObjectContent> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void request(long count) {
            if (!Operators.validate(count) || !state.compareAndSet(State.NOT_REQUESTED, State.UNDER_WAY)) {
                return;
            }
            try {
                pool.execute(this);
            } catch (RejectedExecutionException e) {
                fail(FileThreadPool.closedError());
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
                fail(FileErrorMapper.ofRead(e));
            } catch (RuntimeException | Error e) { // an Error too, or the request would wait for ever
                fail(new BackendException(BackendException.FailureKind.UNEXPECTED, "opening failed", e));
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
