package io.millrace.auth.signature;

import io.millrace.auth.RequestVerificationException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Holds back each signed chunk of an aws-chunked body until its signature is verified.
 *
 * <p>It copies the bytes into blocks that it allocates as bytes arrive. Retained slices would keep whole input buffers,
 * so a client that sends byte by byte would occupy a buffer for each byte.
 */
final class SignedChunkBuffer implements ChunkContentHandler {
    /** Block size in bytes: the chunk size of most SDKs, so that a chunk takes one block. */
    private static final int BLOCK = 64 << 10;

    private final WithholdingBodyQueue decoded;
    private final ChunkSignatureChain chain;
    private final int longest;
    private final Deque<ByteBuf> blocks = new ArrayDeque<>();
    private String signature = "";
    private int missing;

    SignedChunkBuffer(WithholdingBodyQueue decoded, ChunkSignatureChain chain, int longest) {
        this.decoded = decoded;
        this.chain = chain;
        this.longest = longest;
    }

    @Override
    public void begin(ChunkHeader header) throws RequestVerificationException {
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
    public void read(ByteBuf in, int length) throws RequestVerificationException {
        ByteBuf bytes = in.readSlice(length);
        decoded.arrived(bytes);
        chain.update(bytes);
        while (bytes.isReadable()) {
            ByteBuf block = writableBlock(in.alloc());
            int copied = Math.min(block.writableBytes(), bytes.readableBytes());
            block.writeBytes(bytes, copied);
            missing -= copied;
        }
    }

    @Override
    public void end() throws RequestVerificationException {
        chain.verifyChunk(signature);
        blocks.forEach(decoded::add);
        blocks.clear();
    }

    @Override
    public void release() {
        blocks.forEach(ByteBuf::release);
        blocks.clear();
    }

    private ByteBuf writableBlock(ByteBufAllocator allocator) {
        ByteBuf block = blocks.peekLast();
        if (block == null || !block.isWritable()) {
            int size = Math.min(BLOCK, missing);
            block = allocator.buffer(size, size);
            blocks.add(block);
        }
        return block;
    }
}
