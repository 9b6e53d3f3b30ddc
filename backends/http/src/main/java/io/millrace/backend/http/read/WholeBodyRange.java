package io.millrace.backend.http.read;

import io.millrace.backend.spi.object.ByteRange;
import io.netty.buffer.ByteBuf;
import java.io.EOFException;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A range of a body that holds the whole object, for servers that ignore ranges. Drops what comes before the range, and cancels the body
 * after it, which closes the connection. Passes demand and cancel on.
 */
public final class WholeBodyRange extends Flux<ByteBuf> {
    private final Publisher<ByteBuf> body;
    private final ByteRange range;
    private final UnaryOperator<Throwable> failure;

    /**
     * @param failure maps a failure of {@code body} or of its length
     */
    public WholeBodyRange(Publisher<ByteBuf> body, ByteRange range, UnaryOperator<Throwable> failure) {
        this.body = body;
        this.range = range;
        this.failure = failure;
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> reader) {
        RangeSubscriber reading = new RangeSubscriber(reader);
        // At once, before the connection subscribes: a reader may request immediately.
        reader.onSubscribe(reading);
        body.subscribe(reading);
    }

    /** Not thread-safe; only {@link #request} and {@link #cancel} may be called from other threads. */
    private final class RangeSubscriber implements CoreSubscriber<ByteBuf>, Subscription {
        private final CoreSubscriber<? super ByteBuf> reader;
        private final Operators.DeferredSubscription connection = new Operators.DeferredSubscription();
        private long toSkip = range.first();
        private long left = range.length();
        private boolean ended;

        RangeSubscriber(CoreSubscriber<? super ByteBuf> reader) {
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
            } else if (bytes <= toSkip) {
                toSkip -= bytes;
                piece.release();
                connection.request(1);
            } else {
                emit(piece, (int) toSkip, bytes);
            }
        }

        private void emit(ByteBuf piece, int from, int bytes) {
            toSkip = 0;
            int wanted = (int) Math.min(bytes - from, left);
            left -= wanted;
            ended = left == 0;
            ByteBuf part = piece.retainedSlice(piece.readerIndex() + from, wanted);
            piece.release();
            reader.onNext(part);
            if (ended) {
                connection.cancel();
                reader.onComplete();
            }
        }

        @Override
        public void onComplete() {
            onError(new EOFException("the body ended %d bytes before the end of the range".formatted(left)));
        }

        @Override
        public void onError(Throwable cause) {
            if (!ended) {
                ended = true;
                reader.onError(failure.apply(cause));
            }
        }

        @Override
        public void request(long pieces) {
            connection.request(pieces);
        }

        @Override
        public void cancel() {
            connection.cancel();
        }
    }
}
