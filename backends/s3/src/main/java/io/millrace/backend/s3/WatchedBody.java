package io.millrace.backend.s3;

import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * The body of an answer as the SDK's connection publishes it, for one subscriber, with what the SDK leaves out: a failure of
 * the connection reaches the subscriber, nothing throws once the backend is closed, and it is known how long the server has
 * been silent. Signals come from the connection's event loop, requests from any thread.
 */
final class WatchedBody implements Publisher<ByteBuffer> {
    private final Publisher<ByteBuffer> stream;
    private final AtomicBoolean claimed = new AtomicBoolean();
    private volatile @Nullable Reading reading;
    private volatile @Nullable Throwable failure;

    /** When the last piece came, the reader began to want one, or, without a reader, the body was here. */
    private volatile long since = System.nanoTime();

    WatchedBody(Publisher<ByteBuffer> stream) {
        this.stream = stream;
    }

    @Override
    public void subscribe(Subscriber<? super ByteBuffer> reader) {
        if (!claimed.compareAndSet(false, true)) {
            fail(reader, new IllegalStateException("a body is read once"));
            return;
        }
        Throwable cause = failure;
        if (cause != null) {
            discard(stream);
            fail(reader, cause);
            return;
        }
        Reading begun = new Reading(reader);
        reading = begun;
        try {
            stream.subscribe(begun);
        } catch (RejectedExecutionException closed) {
            fail(reader, closed);
        }
    }

    /** The connection failed; called by its event loop, once. */
    void fail(Throwable cause) {
        failure = cause;
        Reading begun = reading;
        if (begun != null) {
            begun.fail(cause);
        }
    }

    /** How long the server has owed a piece, or the body has waited for its reader; 0 while it is the reader who is slow. */
    long silentNanos() {
        Reading begun = reading;
        return begun == null || begun.isOwed() ? System.nanoTime() - since : 0;
    }

    /** Gives a body up that has no reader: the SDK keeps what came of it, and mostly the connection, until it has one. */
    static void discard(Publisher<ByteBuffer> body) {
        Flux.from(body).subscribe(piece -> {}, ignored -> {}).dispose();
    }

    private static void fail(Subscriber<? super ByteBuffer> reader, Throwable cause) {
        reader.onSubscribe(Operators.emptySubscription());
        reader.onError(cause);
    }

    private final class Reading implements Subscriber<ByteBuffer>, Subscription {
        private final Subscriber<? super ByteBuffer> reader;
        private final AtomicLong demand = new AtomicLong();
        private volatile @Nullable Subscription connection;
        private volatile boolean ended;

        Reading(Subscriber<? super ByteBuffer> reader) {
            this.reader = reader;
        }

        boolean isOwed() {
            return demand.get() > 0;
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            connection = subscription;
            reader.onSubscribe(this);
            Throwable cause = failure;
            if (cause != null) {
                fail(cause);
            }
        }

        @Override
        public void onNext(ByteBuffer piece) {
            since = System.nanoTime();
            demand.updateAndGet(n -> n == Long.MAX_VALUE ? n : n - 1);
            if (!ended) {
                reader.onNext(piece);
            }
        }

        @Override
        public void onError(Throwable cause) {
            Throwable known = failure;
            fail(known == null ? cause : known);
        }

        @Override
        public void onComplete() {
            if (!ended) {
                ended = true;
                reader.onComplete();
            }
        }

        @Override
        public void request(long pieces) {
            if (pieces > 0 && demand.getAndUpdate(n -> Operators.addCap(n, pieces)) == 0) {
                since = System.nanoTime();
            }
            onConnection(subscription -> subscription.request(pieces));
        }

        @Override
        public void cancel() {
            ended = true;
            onConnection(Subscription::cancel);
        }

        private void fail(Throwable cause) {
            if (connection != null && !ended) {
                ended = true;
                reader.onError(cause);
            }
        }

        private void onConnection(Consumer<Subscription> signal) {
            Subscription subscription = connection;
            if (subscription == null) {
                return;
            }
            try {
                signal.accept(subscription);
            } catch (RejectedExecutionException closed) {
                // The event loop has ended, and with it the connection: its failure is told already.
            }
        }
    }
}
