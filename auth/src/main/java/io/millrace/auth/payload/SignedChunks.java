package io.millrace.auth.payload;

import io.millrace.auth.AuthException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Chunks with signatures: their bytes are handed on when the signature is verified, and no sooner.
 *
 * <p>Until then they are copied into blocks of our own, taken one after the other as bytes come. Holding slices of what
 * arrived would hold its buffers whole, so that somebody who sends byte by byte would cost us a buffer for each.
 */
final class SignedChunks implements ChunkContentHandler {
    /** What most SDKs send as a chunk, which then takes one block. */
    private static final int BLOCK = 64 << 10;

    private final DecodedBuffer decoded;
    private final ChunkSignatureChain chain;
    private final int longest;
    private final Deque<ByteBuf> blocks = new ArrayDeque<>();
    private String signature = "";
    private int missing;

    SignedChunks(DecodedBuffer decoded, ChunkSignatureChain chain, int longest) {
        this.decoded = decoded;
        this.chain = chain;
        this.longest = longest;
    }

    @Override
    public void begin(ChunkHeader header) throws AuthException {
        if (header.size() > longest) {
            throw PayloadErrors.longChunk(header.size(), longest);
        }
        signature = header.signature();
        missing = (int) header.size();
        if (header.isLast()) {
            chain.verifyChunk(signature);
        }
    }

    @Override
    public void read(ByteBuf in, int length) throws AuthException {
        ByteBuf bytes = in.readSlice(length);
        decoded.arrived(bytes);
        chain.update(bytes);
        while (bytes.isReadable()) {
            ByteBuf block = blockWithRoom(in.alloc());
            int copied = Math.min(block.writableBytes(), bytes.readableBytes());
            block.writeBytes(bytes, copied);
            missing -= copied;
        }
    }

    @Override
    public void end() throws AuthException {
        chain.verifyChunk(signature);
        blocks.forEach(decoded::add);
        blocks.clear();
    }

    @Override
    public void release() {
        blocks.forEach(ByteBuf::release);
        blocks.clear();
    }

    private ByteBuf blockWithRoom(ByteBufAllocator allocator) {
        ByteBuf block = blocks.peekLast();
        if (block == null || !block.isWritable()) {
            int size = Math.min(BLOCK, missing);
            block = allocator.buffer(size, size);
            blocks.add(block);
        }
        return block;
    }
}
