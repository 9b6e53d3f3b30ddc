package io.millrace.gateway.jobs.plan;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.JdkZlibDecoder;
import io.netty.handler.codec.compression.ZlibWrapper;

/**
 * Decompresses one gzip file. The thread that brings pieces and the one that closes it may differ: a reader is cancelled while a
 * piece is being decompressed.
 */
final class GzipDecompressor {
    /** What one piece may become. No text is repeated so often. */
    private static final int LARGEST_PIECE = 64 << 20;

    private final EmbeddedChannel decoder =
            new EmbeddedChannel(new JdkZlibDecoder(ZlibWrapper.GZIP, true, LARGEST_PIECE));
    private boolean closed;

    /** Takes a piece and returns what it becomes, which the caller owns; nothing after {@link #close}. */
    synchronized ByteBuf decompress(ByteBuf piece) {
        if (closed) {
            piece.release();
            return Unpooled.EMPTY_BUFFER;
        }
        try {
            decoder.writeInbound(piece);
            return decompressed();
        } catch (RuntimeException broken) {
            close();
            throw broken;
        }
    }

    /** Releases what it holds. */
    synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            decoder.finishAndReleaseAll();
        } catch (RuntimeException broken) {
            // Whoever brought the broken piece has been told; the decoder says it again.
        }
    }

    private ByteBuf decompressed() {
        CompositeByteBuf all = Unpooled.compositeBuffer(Integer.MAX_VALUE);
        for (ByteBuf next = decoder.readInbound(); next != null; next = decoder.readInbound()) {
            all.addComponent(true, next);
        }
        return all;
    }
}
