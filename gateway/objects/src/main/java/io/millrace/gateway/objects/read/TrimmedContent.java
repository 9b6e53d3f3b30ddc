package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.RangeSpec;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;

/** Trims a response that has more bytes than the client requested, so that no second request is needed. */
final class TrimmedContent {
    private final long first;
    private final long end;
    private long position;

    private TrimmedContent(long skipped, long length) {
        this.first = skipped;
        this.end = skipped + length;
    }

    /**
     * Returns the content trimmed to a range. It replaces {@code content}, which must not be used any more.
     *
     * @return empty if the content lacks some of the bytes; the caller still owns it then
     */
    static Optional<ObjectContent> of(ObjectContent content, RangeSpec wanted) {
        ByteRange brought = content.range().orElseGet(() -> new ByteRange(0, Math.max(0, content.length() - 1)));
        return wanted.resolve(content.head().size())
                .filter(bytes -> bytes.first() >= brought.first() && bytes.last() <= brought.last())
                .map(bytes -> new ObjectContent(
                        content.head(),
                        Optional.of(bytes),
                        cut(content.body(), bytes.first() - brought.first(), bytes.length())));
    }

    /** Returns the bytes of a range selection in a non-empty object; the whole object for other selections. */
    static ByteRange range(ByteSelection selection, long size) {
        ByteRange whole = new ByteRange(0, size - 1);
        return selection instanceof ByteSelection.RangeSelection range
                ? range.spec().resolve(size).orElse(whole)
                : whole;
    }

    private static Flux<ByteBuf> cut(Flux<ByteBuf> body, long skipped, long length) {
        return Flux.defer(() -> body.handle(new TrimmedContent(skipped, length)::take));
    }

    private void take(ByteBuf piece, SynchronousSink<ByteBuf> wanted) {
        long begin = position;
        position += piece.readableBytes();
        int from = (int) Math.max(0, Math.min(first, position) - begin);
        int to = (int) (Math.min(end, position) - begin);
        if (from < to) {
            wanted.next(piece.slice(piece.readerIndex() + from, to - from));
        } else {
            piece.release();
        }
        if (position >= end) {
            wanted.complete();
        }
    }
}
