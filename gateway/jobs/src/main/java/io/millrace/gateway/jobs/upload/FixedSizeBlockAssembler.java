package io.millrace.gateway.jobs.upload;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SynchronousSink;

/** Assembles buffers into blocks of one size; the last block may be shorter, and empty if there is no other. */
public final class FixedSizeBlockAssembler {
    /** Parts of S3 have at least 5 MiB; 10,000 blocks are 78 GiB. */
    public static final int SIZE = 8 << 20;

    public static final int PIECE = 64 << 10;

    private @Nullable ByteBuf block;
    private boolean isFirst = true;

    private FixedSizeBlockAssembler() {}

    /**
     * Gathers buffers. Subscribe once; the subscriber owns each block. Buffers are requested only while a block is
     * wanted.
     */
    public static Flux<ByteBuf> of(Flux<ByteBuf> pieces) {
        FixedSizeBlockAssembler blocks = new FixedSizeBlockAssembler();
        return pieces.handle(blocks::take).concatWith(Mono.defer(blocks::last)).doFinally(end -> blocks.drop());
    }

    private void take(ByteBuf piece, SynchronousSink<ByteBuf> sink) {
        try {
            ByteBuf open = open();
            open.writeBytes(piece, Math.min(piece.readableBytes(), SIZE - open.readableBytes()));
            if (open.readableBytes() == SIZE) {
                block = null;
                isFirst = false;
                sink.next(open);
                if (piece.isReadable()) {
                    open().writeBytes(piece);
                }
            }
        } finally {
            piece.release();
        }
    }

    private Mono<ByteBuf> last() {
        if (block == null && !isFirst) {
            return Mono.empty();
        }
        ByteBuf last = open();
        block = null;
        return Mono.just(last);
    }

    private ByteBuf open() {
        ByteBuf open = block;
        if (open == null) {
            open = ByteBufAllocator.DEFAULT.directBuffer(PIECE, SIZE);
            block = open;
        }
        return open;
    }

    private void drop() {
        ByteBuf open = block;
        block = null;
        if (open != null) {
            open.release();
        }
    }
}
