package io.millrace.gateway.jobs.plan;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.JdkZlibDecoder;
import io.netty.handler.codec.compression.ZlibWrapper;

/**
 * Decompresses one gzip file. Thread-safe, because a cancel may close it while another thread decompresses a buffer.
 */
final class GzipDecompressor {
    /** The most bytes that one buffer may become; real text does not repeat itself so often. */
    private static final int LARGEST_PIECE = 64 << 20;

    private final EmbeddedChannel decoder =
            new EmbeddedChannel(new JdkZlibDecoder(ZlibWrapper.GZIP, true, LARGEST_PIECE));
    private boolean closed;

    /** Decompresses and releases a buffer. The caller owns the result, which is empty after {@link #close}. */
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

    /** Releases the decoder's buffers. */
    synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            decoder.finishAndReleaseAll();
        } catch (RuntimeException broken) {
            // The caller has seen this failure; the decoder throws it again.
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
