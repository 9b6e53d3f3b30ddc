package io.millrace.cache;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * A request body held in memory as buffers, which can be read once. {@link #release} and the end of {@link #pieces}
 * release the buffers that nobody has taken.
 */
final class BufferedRequestBody {
    private final Queue<ByteBuf> pieces;
    private final long size;

    /** @param pieces owned by this body from now on */
    BufferedRequestBody(List<ByteBuf> pieces) {
        this.pieces = new ArrayDeque<>(pieces);
        this.size = pieces.stream().mapToLong(ByteBuf::readableBytes).sum();
    }

    /** Returns the bytes of the whole body, including buffers that were already taken. */
    long size() {
        return size;
    }

    /** Emits the buffers; can be subscribed to once. The subscriber owns each buffer. */
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
