package io.millrace.gateway.objects.residency;

import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.checksum.ChecksumDigest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.BlockCache;
import io.millrace.cache.BlockHashResult;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.BackendObjectSource;
import io.millrace.gateway.objects.read.ObjectPrefetcher;
import io.netty.buffer.ByteBuf;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Holds what is cached of an object against its backend. Safe for use by any number of threads. */
public final class CachedBytesVerifier {
    private final BlockCache cache;

    public CachedBytesVerifier(BlockCache cache) {
        this.cache = cache;
    }

    /**
     * What was found.
     *
     * @param compared bytes of blocks that are cached
     * @param wrong blocks that differed from the backend's, and were dropped
     * @param damaged blocks that were not what had been written, and were dropped
     * @param unreadable blocks that their disk could not read, and were dropped
     */
    public record Compared(long compared, long wrong, long damaged, long unreadable) {
        public static final Compared NONE = new Compared(0, 0, 0, 0);

        static final Compared DAMAGED = new Compared(0, 0, 1, 0);
        static final Compared UNREADABLE = new Compared(0, 0, 0, 1);

        public Compared plus(Compared other) {
            return new Compared(
                    compared + other.compared,
                    wrong + other.wrong,
                    damaged + other.damaged,
                    unreadable + other.unreadable);
        }
    }

    /**
     * Compares each cached block of a version with that of the backend, and drops those that differ: what was found of each, one
     * behind the other. Fails as a pinned read does: with {@link io.millrace.backend.spi.BackendException.FailureKind#VERSION_CHANGED} if the
     * backend has another version; and with a {@link io.millrace.cache.disk.io.DiskUnavailableException} if a disk with some of them stands
     * still.
     *
     * @param pace told of the bytes of each block before they are asked for
     */
    public Flux<Compared> compare(BucketView bucket, ObjectMetadata head, ObjectPrefetcher.Pace pace) {
        BackendObjectSource source = new BackendObjectSource(bucket, head.id());
        return Flux.range(0, (int) Math.min(Integer.MAX_VALUE, head.blocks()))
                .filter(block -> cache.inventory().holdsBlock(head, block))
                .concatMap(block -> compare(source, head, block, pace), 1);
    }

    private Mono<Compared> compare(
            BackendObjectSource source, ObjectMetadata head, long block, ObjectPrefetcher.Pace pace) {
        // What is not there has gone meanwhile.
        return cache.inventory().digest(head, block).flatMap(found -> {
            if (found instanceof BlockHashResult.Hashed sum) {
                return compare(source, head, block, sum, pace);
            }
            return Mono.just(found instanceof BlockHashResult.Corrupt ? Compared.DAMAGED : Compared.UNREADABLE);
        });
    }

    private Mono<Compared> compare(
            BackendObjectSource source,
            ObjectMetadata head,
            long block,
            BlockHashResult.Hashed cached,
            ObjectPrefetcher.Pace pace) {
        long first = block * head.blockSize();
        ByteRange range = new ByteRange(first, Math.min(head.size(), first + head.blockSize()) - 1);
        return pace.next(range.length())
                .then(digest(source.fetch(head.head().version(), range)))
                .map(right -> compared(head, block, range, cached.is(right)));
    }

    private Compared compared(ObjectMetadata head, long block, ByteRange range, boolean same) {
        if (!same) {
            cache.inventory().drop(head, block);
        }
        return new Compared(range.length(), same ? 0 : 1, 0, 0);
    }

    /** The SHA-256 of a body, whose pieces are released. */
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
