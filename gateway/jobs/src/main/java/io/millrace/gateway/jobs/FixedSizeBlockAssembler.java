package io.millrace.gateway.jobs;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SynchronousSink;

/** Assembles buffers into blocks of one size; the last block may be shorter, and empty if there is no other. */
final class FixedSizeBlockAssembler {
    /** Parts of S3 have at least 5 MiB; 10,000 blocks are 78 GiB. */
    static final int SIZE = 8 << 20;

    static final int PIECE = 64 << 10;

    private @Nullable ByteBuf block;
    private boolean isFirst = true;
    private boolean isOver;

    private FixedSizeBlockAssembler() {}

    /**
     * Gathers buffers. Subscribe once; the subscriber owns each block. Buffers are requested only while a block is
     * wanted. Another thread may cancel while a buffer arrives, so each step locks; blocks are emitted outside of the
     * lock.
     */
    static Flux<ByteBuf> of(Flux<ByteBuf> pieces) {
        FixedSizeBlockAssembler blocks = new FixedSizeBlockAssembler();
        return pieces.handle(blocks::take)
                .concatWith(Flux.generate(blocks::last))
                .doFinally(end -> blocks.drop());
    }

    private void take(ByteBuf piece, SynchronousSink<ByteBuf> sink) {
        ByteBuf full = add(piece);
        if (full != null) {
            sink.next(full);
        }
    }

    /** Returns a block if this buffer completes one; owns the buffer. */
    private synchronized @Nullable ByteBuf add(ByteBuf piece) {
        try {
            return isOver ? null : append(piece);
        } finally {
            piece.release();
        }
    }

    private @Nullable ByteBuf append(ByteBuf piece) {
        ByteBuf open = open();
        open.writeBytes(piece, Math.min(piece.readableBytes(), SIZE - open.readableBytes()));
        if (open.readableBytes() < SIZE) {
            return null;
        }
        block = null;
        isFirst = false;
        if (piece.isReadable()) {
            open().writeBytes(piece);
        }
        return open;
    }

    private void last(SynchronousSink<ByteBuf> sink) {
        ByteBuf last = takeLast();
        if (last == null) {
            sink.complete();
        } else {
            sink.next(last);
        }
    }

    private synchronized @Nullable ByteBuf takeLast() {
        if (isOver || (block == null && !isFirst)) {
            return null;
        }
        ByteBuf last = open();
        block = null;
        isFirst = false;
        return last;
    }

    private ByteBuf open() {
        ByteBuf open = block;
        if (open == null) {
            open = ByteBufAllocator.DEFAULT.directBuffer(PIECE, SIZE);
            block = open;
        }
        return open;
    }

    private synchronized void drop() {
        isOver = true;
        ByteBuf open = block;
        block = null;
        if (open != null) {
            open.release();
        }
    }
}
