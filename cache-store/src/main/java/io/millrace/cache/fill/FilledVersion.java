package io.millrace.cache.fill;

import io.millrace.backend.spi.ByteRange;
import io.millrace.cache.disk.RecordDraft;
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
 * @param records makes the record of a block
 */
public record FilledVersion(
        FingerprintHash hash,
        Fingerprint version,
        long size,
        int blockSize,
        Function<ByteRange, Flux<ByteBuf>> fetch,
        Records records) {

    /** Makes records of blocks. */
    @FunctionalInterface
    public interface Records {
        /** The record of a block; {@code body} stays its owner's. */
        RecordDraft of(Fingerprint key, long number, List<ByteBuf> body);

        /** Whether a record still tells how things are; asked before it is found. */
        default boolean counts() {
            return true;
        }

        /** A block that was begun is on a disk now, or will never be. Called once for each. */
        default void settled() {}
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
