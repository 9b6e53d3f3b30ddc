package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.BlockHashResult;
import io.millrace.cache.CachedObjectAdministration;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.netty.buffer.ByteBuf;
import java.util.function.LongFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Compares the cached blocks of an object with its backend and drops those that differ. Thread-safe. */
public record CacheBackendComparison(CachedObjectAdministration inventory) {
    /**
     * The result of a comparison.
     *
     * @param compared bytes of the cached blocks that were compared
     * @param wrong blocks that differed from the backend and were dropped
     * @param damaged blocks that failed their checksums and were dropped
     * @param unreadable blocks that their disk could not read and that were dropped
     */
    public record ComparisonResult(long compared, long wrong, long damaged, long unreadable) {
        public static final ComparisonResult NONE = new ComparisonResult(0, 0, 0, 0);

        static final ComparisonResult DAMAGED = new ComparisonResult(0, 0, 1, 0);
        static final ComparisonResult UNREADABLE = new ComparisonResult(0, 0, 0, 1);

        public ComparisonResult plus(ComparisonResult other) {
            return new ComparisonResult(
                    compared + other.compared,
                    wrong + other.wrong,
                    damaged + other.damaged,
                    unreadable + other.unreadable);
        }
    }

    /**
     * Compares each cached block of a version with the backend, one after another, and drops those that differ. Fails
     * with {@link io.millrace.backend.spi.BackendException.FailureKind#VERSION_CHANGED} if the backend has another
     * version, and with a {@link io.millrace.cache.disk.DiskUnavailableException} if a disk with some of the blocks
     * hangs.
     *
     * @param throttle completes when the bytes of a block may be requested
     */
    public Flux<ComparisonResult> compare(
            BucketView bucket, ObjectMetadata metadata, LongFunction<Mono<Void>> throttle) {
        BackendObjectSource source = new BackendObjectSource(bucket, metadata.id());
        return Flux.range(0, (int) Math.min(Integer.MAX_VALUE, metadata.blocks()))
                .filter(block -> inventory.containsBlock(metadata, block))
                .concatMap(block -> compare(source, metadata, block, throttle), 1);
    }

    private Mono<ComparisonResult> compare(
            BackendObjectSource source, ObjectMetadata metadata, long block, LongFunction<Mono<Void>> throttle) {
        // An absent block was evicted meanwhile.
        return inventory.hashBlock(metadata, block).flatMap(found -> {
            if (found instanceof BlockHashResult.Hashed sum) {
                return compare(source, metadata, block, sum, throttle);
            }
            return Mono.just(
                    found instanceof BlockHashResult.Corrupt ? ComparisonResult.DAMAGED : ComparisonResult.UNREADABLE);
        });
    }

    private Mono<ComparisonResult> compare(
            BackendObjectSource source,
            ObjectMetadata metadata,
            long block,
            BlockHashResult.Hashed cached,
            LongFunction<Mono<Void>> throttle) {
        long first = block * metadata.blockSize();
        ByteRange range = new ByteRange(first, Math.min(metadata.size(), first + metadata.blockSize()) - 1);
        return throttle.apply(range.length())
                .then(digest(source.fetch(metadata.head().version(), range)))
                .map(right -> compared(metadata, block, range, cached.is(right)));
    }

    private ComparisonResult compared(ObjectMetadata metadata, long block, ByteRange range, boolean same) {
        if (!same) {
            inventory.removeBlock(metadata, block);
        }
        return new ComparisonResult(range.length(), same ? 0 : 1, 0, 0);
    }

    /** Returns the SHA-256 of a body and releases its buffers. */
    public static Mono<byte[]> digest(Flux<ByteBuf> body) {
        return Mono.defer(() -> {
            ChecksumDigest sha = ChecksumAlgorithm.SHA256.newDigest();
            return body.doOnNext(piece -> {
                        sha.update(piece);
                        piece.release();
                    })
                    .then(Mono.fromSupplier(sha::bytes));
        });
    }
}
