package io.millrace.cache.fill;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.BlockToWrite;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.publisher.Flux;

/**
 * The source of the blocks of one object version: derives their keys, fetches them from the backend, and prepares them
 * for the disk.
 *
 * @param backend the name of the backend that has it
 * @param party the one for whom it is fetched
 * @param source the traits of the source of its bytes
 * @param version fingerprint that, with the block number, makes the key of a block
 * @param size bytes of the object
 * @param blockSize bytes of each block but the last
 * @param fetch requests bytes of exactly this version from the backend
 * @param drafts creates the draft of a block
 * @param check finds the check of a fetch that brings the whole object; empty if the backend gives no checksum
 */
public record VersionFillSource(
        String backend,
        Party party,
        SourceTraits source,
        FingerprintHash hash,
        Fingerprint version,
        long size,
        int blockSize,
        Function<ByteRange, Flux<ByteBuf>> fetch,
        DraftFactory drafts,
        Supplier<Optional<WholeObjectCheck>> check) {
    /** Begins as no backend's name does. */
    private static final String MADE = "~made";

    private static final String PEERS = "~peers of ";

    /** Creates drafts of blocks, and learns that one is stored. */
    @FunctionalInterface
    public interface DraftFactory {
        /** Returns the draft of a block; the caller still owns {@code body}. */
        BlockToWrite of(Fingerprint key, long number, List<ByteBuf> body);

        /** Notes that a block is on a disk. Never blocks. */
        default void stored() {}
    }

    /**
     * Returns the account that its memory is counted to: that of its backend. What is made of the bytes of other
     * objects has one, so that it never holds the memory that those are fetched with, however many buckets it is of.
     * Bytes from other gateways have one for each backend, or two gateways could wait for each other's memory, and
     * one backend that hangs behind them would hold up the others.
     */
    String account() {
        if (source.sequential()) {
            return MADE;
        }
        return source.place() == SourceTraits.Place.PEER ? PEERS + backend : backend;
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
