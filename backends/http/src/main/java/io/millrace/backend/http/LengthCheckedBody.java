package io.millrace.backend.http;

import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.object.ByteRange;
import io.netty.buffer.ByteBuf;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;

/**
 * A body stream that emits exactly the announced number of bytes or fails; or exactly a range of a body that holds the
 * whole object, for servers that ignore ranges. Passes demand and cancel on to the connection.
 *
 * <p>The subscriber owns each buffer. A body emits none after this has cancelled it, as {@link ResponseBody} does not:
 * Reactor would drop it unreleased.
 */
public final class LengthCheckedBody {
    private static final int OK = 200;

    private final long length;

    /** True if the body may emit more than the length, as for a range of a whole response; the rest is not read. */
    private final boolean more;

    private long toSkip;
    private long left;

    private LengthCheckedBody(long skipped, long length, boolean more) {
        this.length = length;
        this.more = more;
        this.toSkip = skipped;
        this.left = length;
    }

    /**
     * Returns a body of a known length.
     *
     * @param length bytes it must emit
     * @param failure maps a failure of {@code body} or of its length
     */
    public static Flux<ByteBuf> of(Flux<ByteBuf> body, long length, UnaryOperator<Throwable> failure) {
        return checked(body, () -> new LengthCheckedBody(0, length, false), failure);
    }

    /**
     * Returns a range of a body that holds the whole object. Drops what comes before it, and cancels the body after it,
     * which closes the connection.
     */
    public static Flux<ByteBuf> range(Flux<ByteBuf> body, ByteRange range, UnaryOperator<Throwable> failure) {
        return checked(body, () -> new LengthCheckedBody(range.first(), range.length(), true), failure);
    }

    /**
     * Returns the selected bytes of an object as its content. If the server has sent the whole object instead, they are
     * cut out of it.
     *
     * @param selected what the response was accepted as
     * @param failure maps a failure of the body or of its length
     */
    public static ObjectContent contentOf(
            HeadResult selected, StreamingResponse response, UnaryOperator<Throwable> failure) {
        Flux<ByteBuf> body = selected.range()
                .filter(range -> response.status() == OK
                        && range.length() < selected.head().size())
                .map(range -> range(response.body(), range, failure))
                .orElseGet(() -> of(response.body(), selected.length(), failure));
        return new ObjectContent(selected.head(), selected.range(), body);
    }

    /** Waits for the end of an upload's body of no bytes, which may still fail. */
    public static Mono<Void> untilEndOfEmpty(UploadBody body) {
        return Flux.from(body.pieces())
                .map(LengthCheckedBody::released)
                .handle((bytes, end) -> {
                    if (bytes > 0) {
                        end.error(tooLong(0));
                    }
                })
                .then();
    }

    private static Flux<ByteBuf> checked(
            Flux<ByteBuf> body, Supplier<LengthCheckedBody> length, UnaryOperator<Throwable> failure) {
        return Flux.defer(() -> {
                    LengthCheckedBody check = length.get();
                    return body.handle(check::take).concatWith(Mono.defer(check::end));
                })
                .onErrorMap(failure);
    }

    private void take(ByteBuf piece, SynchronousSink<ByteBuf> reader) {
        if (piece.readableBytes() <= toSkip) {
            toSkip -= released(piece);
            return;
        }
        piece.skipBytes((int) toSkip);
        toSkip = 0;
        int bytes = piece.readableBytes();
        if (bytes > left && !more) {
            piece.release();
            reader.error(tooLong(length));
            return;
        }
        int wanted = (int) Math.min(bytes, left);
        left -= wanted;
        reader.next(piece.writerIndex(piece.readerIndex() + wanted));
        if (more && left == 0) {
            reader.complete();
        }
    }

    private Mono<ByteBuf> end() {
        return left == 0
                ? Mono.empty()
                : Mono.error(new LengthMismatch("the body ended %d bytes short of %d".formatted(left, length)));
    }

    private static int released(ByteBuf piece) {
        int bytes = piece.readableBytes();
        piece.release();
        return bytes;
    }

    private static LengthMismatch tooLong(long length) {
        return new LengthMismatch("the body is longer than the announced %d bytes".formatted(length));
    }

    /** The body has another length than its headers announced. */
    static final class LengthMismatch extends Exception {
        private static final long serialVersionUID = 1L;

        LengthMismatch(String message) {
            super(message, null, false, false);
        }
    }
}
