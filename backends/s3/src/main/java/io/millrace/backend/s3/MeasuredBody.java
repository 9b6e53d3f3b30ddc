package io.millrace.backend.s3;

import io.netty.buffer.ByteBuf;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A body that brings exactly the promised bytes, or fails. Demand and cancel go straight to the connection.
 */
final class MeasuredBody extends Flux<ByteBuf> {
    private final Publisher<ByteBuf> body;
    private final long length;
    private final UnaryOperator<Throwable> failure;

    /**
     * @param length bytes it must bring
     * @param failure what a failure of {@code body}, or a body of another length, is told as
     */
    MeasuredBody(Publisher<ByteBuf> body, long length, UnaryOperator<Throwable> failure) {
        this.body = body;
        this.length = length;
        this.failure = failure;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> reader) {
        Reading reading = new Reading(reader);
        // At once, though the connection answers later: a reader may ask in the same breath.
        reader.onSubscribe(reading);
        body.subscribe(reading);
    }

    /** Used by one thread at a time, as signals are; only {@link #request} and {@link #cancel} come from others. */
    private final class Reading implements CoreSubscriber<ByteBuf>, Subscription {
        private final CoreSubscriber<? super ByteBuf> reader;
        private final Operators.DeferredSubscription connection = new Operators.DeferredSubscription();
        private long left = length;
        private boolean ended;

        Reading(CoreSubscriber<? super ByteBuf> reader) {
            this.reader = reader;
        }

        @Override
        public Context currentContext() {
            return reader.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            connection.set(subscription);
        }

        @Override
        public void onNext(ByteBuf piece) {
            int bytes = piece.readableBytes();
            if (ended) {
                piece.release();
                return;
            }
            if (bytes > left) {
                piece.release();
                cancel();
                end(new BodyLength("the body is longer than the %d bytes it was said to have".formatted(length)));
                return;
            }
            left -= bytes;
            if (bytes == 0) {
                piece.release();
                request(1);
            } else {
                reader.onNext(piece);
            }
        }

        @Override
        public void onComplete() {
            if (left > 0) {
                end(new BodyLength("the body ended %d bytes short of %d".formatted(left, length)));
            } else if (!ended) {
                ended = true;
                reader.onComplete();
            }
        }

        @Override
        public void onError(Throwable cause) {
            end(cause);
        }

        @Override
        public void request(long pieces) {
            connection.request(pieces);
        }

        @Override
        public void cancel() {
            connection.cancel();
        }

        private void end(Throwable cause) {
            if (!ended) {
                ended = true;
                reader.onError(failure.apply(cause));
            }
        }
    }

    /** The body has another length than its head said. */
    static final class BodyLength extends Exception {
        private static final long serialVersionUID = 1L;

        BodyLength(String message) {
            super(message, null, false, false);
        }
    }
}
