package io.millrace.backend.http;

import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.ByteRange;
import io.netty.buffer.ByteBuf;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A body stream that emits exactly the announced number of bytes or fails; or exactly a range of a body that holds the
 * whole object, for servers that ignore ranges. Passes demand and cancel on to the connection.
 */
public final class LengthCheckedBody extends Flux<ByteBuf> {
    private final Publisher<ByteBuf> body;
    private final long skipped;
    private final long length;

    /** True if {@code body} may emit more than the length, as for a range of a whole response; the rest is not read. */
    private final boolean more;

    private final UnaryOperator<Throwable> failure;

    /**
     * @param length bytes it must emit
     * @param failure maps a failure of {@code body} or of its length
     */
    public LengthCheckedBody(Publisher<ByteBuf> body, long length, UnaryOperator<Throwable> failure) {
        this(body, 0, length, false, failure);
    }

    private LengthCheckedBody(
            Publisher<ByteBuf> body, long skipped, long length, boolean more, UnaryOperator<Throwable> failure) {
        this.body = body;
        this.skipped = skipped;
        this.length = length;
        this.more = more;
        this.failure = failure;
    }

    /**
     * Returns a range of a body that holds the whole object. Drops what comes before it, and cancels the body after it,
     * which closes the connection.
     */
    public static LengthCheckedBody range(Publisher<ByteBuf> body, ByteRange range, UnaryOperator<Throwable> failure) {
        return new LengthCheckedBody(body, range.first(), range.length(), true, failure);
    }

    /** Waits for the end of an upload's body of no bytes, which may still fail. */
    public static Mono<Void> untilEndOfEmpty(UploadBody body) {
        return new LengthCheckedBody(body.pieces(), 0, cause -> cause).then();
    }

    @Override
    public void subscribe(CoreSubscriber<? super ByteBuf> reader) {
        LengthCheckingSubscriber reading = new LengthCheckingSubscriber(reader);
        // At once, before the connection subscribes: a reader may request immediately.
        reader.onSubscribe(reading);
        body.subscribe(reading);
    }

    /** Not thread-safe; only {@link #request} and {@link #cancel} may be called from other threads. */
    private final class LengthCheckingSubscriber implements CoreSubscriber<ByteBuf>, Subscription {
        private final CoreSubscriber<? super ByteBuf> reader;
        private final Operators.DeferredSubscription connection = new Operators.DeferredSubscription();
        private long toSkip = skipped;
        private long left = length;
        private boolean ended;

        LengthCheckingSubscriber(CoreSubscriber<? super ByteBuf> reader) {
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
                request(1);
            } else {
                emit(piece.skipBytes((int) toSkip));
            }
        }

        private void emit(ByteBuf piece) {
            toSkip = 0;
            int bytes = piece.readableBytes();
            if (bytes > left && !more) {
                piece.release();
                cancel();
                end(new LengthMismatch("the body is longer than the announced %d bytes".formatted(length)));
                return;
            }
            int wanted = (int) Math.min(bytes, left);
            left -= wanted;
            ended = more && left == 0;
            reader.onNext(piece.writerIndex(piece.readerIndex() + wanted));
            if (ended) {
                cancel();
                reader.onComplete();
            }
        }

        @Override
        public void onComplete() {
            if (left > 0) {
                end(new LengthMismatch("the body ended %d bytes short of %d".formatted(left, length)));
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

    /** The body has another length than its headers announced. */
    static final class LengthMismatch extends Exception {
        private static final long serialVersionUID = 1L;

        LengthMismatch(String message) {
            super(message, null, false, false);
        }
    }
}
