package io.millrace.cache;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/** Pieces of a body that are in memory. What nobody takes is released by {@link #release}, or at the end of {@link #pieces}. */
final class BufferedBody {
    private final Queue<ByteBuf> pieces;
    private final long size;

    /** Owns the pieces. */
    BufferedBody(List<ByteBuf> pieces) {
        this.pieces = new ArrayDeque<>(pieces);
        this.size = pieces.stream().mapToLong(ByteBuf::readableBytes).sum();
    }

    /** Bytes of all pieces together, those included that are gone. */
    long size() {
        return size;
    }

    /** All pieces, once; each is the subscriber's. */
    Flux<ByteBuf> pieces() {
        return Flux.<ByteBuf>generate(sink -> {
                    ByteBuf next = poll();
                    if (next == null) {
                        sink.complete();
                    } else {
                        sink.next(next);
                    }
                })
                .doFinally(end -> release());
    }

    void release() {
        for (ByteBuf piece = poll(); piece != null; piece = poll()) {
            piece.release();
        }
    }

    private synchronized @Nullable ByteBuf poll() {
        return pieces.poll();
    }
}
