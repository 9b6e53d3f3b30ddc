package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.checksum.HashDigest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Flux;

/**
 * A whole result of a transform, in memory. Its tag is made of its content, so that a part of it never passes for one
 * of another result. {@link #release} or the end of its {@link #bytes} gives its place in memory to others.
 *
 * @param pieces all but the last one of {@link Collector#PIECE} bytes
 * @param released run once or more
 */
record TransformResult(ObjectHead head, List<byte[]> pieces, Runnable released) {
    /** Takes the bytes of a result as they come. Not thread-safe. */
    static final class Collector {
        /** The largest buffer that a reader gets. */
        static final int PIECE = 64 << 10;

        private static final int TAG_BYTES = 16;

        private final List<byte[]> pieces = new ArrayList<>();
        private final HashDigest digest = HashDigest.of("SHA-256");
        private long size;

        /** @param making what the result is made of, and how */
        Collector(String making) {
            digest.update(StandardCharsets.UTF_8.encode(making));
        }

        long size() {
            return size;
        }

        /** Takes bytes; the caller still owns the buffer. */
        void add(ByteBuf piece) {
            digest.update(piece.nioBuffer());
            while (piece.isReadable()) {
                int used = (int) (size % PIECE);
                if (used == 0) {
                    pieces.add(new byte[PIECE]);
                }
                int taken = Math.min(piece.readableBytes(), PIECE - used);
                piece.readBytes(pieces.get(pieces.size() - 1), used, taken);
                size += taken;
            }
        }

        /** Returns the whole result. */
        TransformResult result(Optional<Instant> lastModified, HeaderList headers) {
            // The dash tells clients that it is no MD5.
            ETag tag = ETag.strong(HexFormat.of().formatHex(digest.bytes(), 0, TAG_BYTES) + "-1");
            ObjectVersion version = ObjectVersion.ofETag(Optional.of(tag), size, Optional.empty());
            ObjectHead head = new ObjectHead(version, Optional.of(tag), lastModified, headers);
            return new TransformResult(head, pieces, () -> {});
        }
    }

    /** Returns a copy that runs this when nobody needs its memory any more. */
    TransformResult releasedBy(Runnable action) {
        return new TransformResult(head, pieces, action);
    }

    /** Gives up the result. */
    void release() {
        released.run();
    }

    /** Returns all bytes; to be subscribed to once, by who owns each buffer then. */
    Flux<ByteBuf> bytes() {
        return head.size() == 0
                ? Flux.<ByteBuf>empty().doFinally(end -> release())
                : bytes(new ByteRange(0, head.size() - 1));
    }

    /** Returns bytes of the result, as {@link #bytes()} does all. */
    Flux<ByteBuf> bytes(ByteRange range) {
        int first = (int) (range.first() / Collector.PIECE);
        int count = (int) (range.last() / Collector.PIECE) - first + 1;
        return Flux.range(first, count)
                .map(number -> {
                    long begin = (long) number * Collector.PIECE;
                    int from = (int) Math.max(0, range.first() - begin);
                    int to = (int) Math.min(Collector.PIECE, range.last() + 1 - begin);
                    return Unpooled.wrappedBuffer(pieces.get(number), from, to - from);
                })
                .doFinally(end -> release());
    }
}
