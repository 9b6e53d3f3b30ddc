package io.millrace.cache.fill;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.segment.BlockDraft;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Function;
import reactor.core.publisher.Flux;

/**
 * One object version as fills see it.
 *
 * @param version what its blocks are found by, together with their numbers
 * @param size bytes of the object
 * @param blockSize bytes of each block but the last
 * @param fetch asks the backend for bytes of this version, and of no other
 * @param drafts makes the draft of a block
 */
public record CacheableVersion(
        FingerprintHash hash,
        Fingerprint version,
        long size,
        int blockSize,
        Function<ByteRange, Flux<ByteBuf>> fetch,
        DraftFactory drafts) {

    /** Makes drafts of blocks. */
    @FunctionalInterface
    public interface DraftFactory {
        /** The draft of a block; {@code body} stays its owner's. */
        BlockDraft of(Fingerprint key, long number, List<ByteBuf> body);
    }

    Fingerprint block(long number) {
        return hash.of(version, number);
    }

    int length(long number) {
        return (int) Math.min(blockSize, size - number * blockSize);
    }

    long lastBlock() {
        return (size - 1) / blockSize;
    }
}
