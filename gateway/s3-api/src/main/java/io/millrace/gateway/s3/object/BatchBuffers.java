package io.millrace.gateway.s3.object;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of a batch's tar that its reader has not requested yet: large ones as they came, and small ones joined
 * into one of {@link #PIECE} bytes. It owns them until they are taken. For one thread at a time.
 */
final class BatchBuffers {
    /** The largest buffer that is emitted, and the size into which small ones are joined. */
    private static final int PIECE = 64 << 10;

    /** The largest buffer that is copied to be joined with others: each that is emitted costs a write. */
    private static final int MOST_COPIED = 16 << 10;

    private final Deque<ByteBuf> ready = new ArrayDeque<>();
    private @Nullable ByteBuf joined;

    /** Returns whether a buffer can be taken. One that is still being joined cannot. */
    boolean hasReady() {
        return !ready.isEmpty();
    }

    boolean isEmpty() {
        return ready.isEmpty() && joined == null;
    }

    /** Takes the next buffer; null if none is ready. The caller owns it. */
    @Nullable ByteBuf poll() {
        return ready.poll();
    }

    /** Gives a buffer back that was taken, to be the next one again. */
    void giveBack(ByteBuf taken) {
        ready.addFirst(taken);
    }

    /** Adds a buffer as it is if it is large, and joins a small one to those before it. */
    void add(ByteBuf piece) {
        if (piece.readableBytes() > MOST_COPIED) {
            passJoined();
            ready.add(piece);
            return;
        }
        try {
            while (piece.isReadable()) {
                ByteBuf into = room();
                into.writeBytes(piece, Math.min(piece.readableBytes(), into.writableBytes()));
            }
        } finally {
            piece.release();
        }
    }

    /** Joins bytes to those before them. */
    void join(byte[] bytes) {
        for (int at = 0; at < bytes.length; ) {
            ByteBuf into = room();
            int part = Math.min(bytes.length - at, into.writableBytes());
            into.writeBytes(bytes, at, part);
            at += part;
        }
    }

    /** Returns a buffer with room for at least a byte. */
    private ByteBuf room() {
        @Nullable ByteBuf current = joined;
        if (current != null && current.isWritable()) {
            return current;
        }
        passJoined();
        ByteBuf next = PooledByteBufAllocator.DEFAULT.directBuffer(PIECE, PIECE);
        joined = next;
        return next;
    }

    /** Makes what was joined ready, though it is not full. */
    void passJoined() {
        @Nullable ByteBuf filled = joined;
        if (filled != null) {
            // The window of a slow reader counts bytes: many buffers that are nearly empty would fit into it.
            filled.capacity(filled.readableBytes());
            joined = null;
            ready.add(filled);
        }
    }

    /** Releases all. */
    void release() {
        ReferenceCountUtil.release(joined);
        joined = null;
        ready.forEach(ByteBuf::release);
        ready.clear();
    }
}
