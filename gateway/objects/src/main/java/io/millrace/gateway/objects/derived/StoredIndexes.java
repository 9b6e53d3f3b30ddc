package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CacheReader;
import io.millrace.cache.UnfetchableSource;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.archive.MemberIndex;
import io.millrace.kit.async.ExecutedCall;
import io.millrace.kit.share.FairSemaphore;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * The indexes of archives in the cache, where they outlive the process: each is a cached object of a backend that does
 * not exist, so that no list, quota or meter of a bucket has it. Its tag is made of its archive's version: after a
 * replacement it is not found, and after an eviction or invalidation of its archive it does no harm. Archives that are
 * not cached have none. Thread-safe.
 *
 * <pre>
 * 0   32  SHA-256 of the archive's version
 * 32      {@link MemberIndex}
 * </pre>
 */
final class StoredIndexes {
    /** The fewest members of an archive whose index is stored. Others are found by a few requests. */
    static final int LEAST_MEMBERS = 100;

    /** The largest one: what the cache takes from memory. */
    static final int MOST_BYTES = 64 << 20;

    /** Those that are read at a time, because their bytes are in memory meanwhile; and those that wait. */
    static final int MOST_READ = 4;

    static final int MOST_WAITING = 4096;

    private static final Logger log = LoggerFactory.getLogger(StoredIndexes.class);

    /** Begins the backend's name. No backend of the settings has it. */
    private static final String PLACE = "~index:";

    private static final int VERSION_BYTES = 32;
    private static final int PIECE_BYTES = 64 << 10;

    private final Optional<BlockCache> cache;
    private final int mostBytes;
    private final Executor worker;
    private final FairSemaphore reads = new FairSemaphore(MOST_READ, MOST_WAITING, ArchiveFailures::tooManyScans);

    /**
     * @param cache empty without disks
     * @param mostBytes the most bytes that an index may take in memory
     * @param worker goes through the bytes of large indexes
     */
    StoredIndexes(Optional<BlockCache> cache, int mostBytes, Executor worker) {
        this.cache = cache;
        this.mostBytes = Math.min(mostBytes, MOST_BYTES);
        this.worker = worker;
    }

    /** Returns the index of an archive's version; empty if there is none that can be read. */
    Mono<MemberIndex> find(SourceObject archive, Party party) {
        if (cache.isEmpty() || archive.cached().isEmpty()) {
            return Mono.empty();
        }
        BlockCache blocks = cache.get();
        byte[] version = ArchiveIndex.digest(archive.head().version());
        return blocks.reader()
                .find(idOf(archive))
                .filter(found -> isOf(version, found.head()))
                .flatMap(found -> reads.run(party, read(blocks, found, version)));
    }

    private boolean isOf(byte[] version, ObjectHead found) {
        return found.eTag().filter(tag(version)::matchesStrongly).isPresent()
                && found.size() > VERSION_BYTES
                && found.size() - VERSION_BYTES <= mostBytes;
    }

    private Mono<MemberIndex> read(BlockCache blocks, ObjectMetadata found, byte[] version) {
        return bytes(blocks.reader(), found)
                .flatMap(bytes -> ExecutedCall.on(worker, () -> decoded(bytes, version), rejected -> rejected))
                .onErrorComplete()
                // So that the next one is stored as a whole.
                .switchIfEmpty(Mono.fromRunnable(() -> drop(blocks, found)));
    }

    private static Mono<ByteBuffer> bytes(CacheReader reader, ObjectMetadata found) {
        return Mono.defer(() -> {
            ByteBuffer all = ByteBuffer.allocate((int) found.size());
            ByteRange whole = new ByteRange(0, found.size() - 1);
            return reader.readBuffers(found, whole, source(found.head()), Optional.empty())
                    .doOnNext(piece -> {
                        try {
                            all.put(piece.nioBuffer());
                        } finally {
                            piece.release();
                        }
                    })
                    .then(Mono.fromSupplier(all::flip));
        });
    }

    private static @Nullable MemberIndex decoded(ByteBuffer bytes, byte[] version) {
        byte[] own = new byte[VERSION_BYTES];
        bytes.get(own);
        return Arrays.equals(own, version) ? MemberIndex.decode(bytes).orElse(null) : null;
    }

    private static void drop(BlockCache blocks, ObjectMetadata found) {
        long unused = blocks.inventory().evict(found);
    }

    /** Stores the index of an archive's version, soon, if it is worth it. If that fails, nothing else does. */
    void store(SourceObject archive, MemberIndex index) {
        // What is missing from a damaged one may be found by another version of the parser, or with more memory.
        boolean isWorthIt =
                index.size() >= LEAST_MEMBERS && index.damage().isEmpty() && index.bytes() <= mostBytes - VERSION_BYTES;
        if (cache.isPresent() && archive.cached().isPresent() && isWorthIt) {
            worker.execute(() -> store(cache.get(), archive, index));
        }
    }

    private static void store(BlockCache blocks, SourceObject archive, MemberIndex index) {
        byte[] version = ArchiveIndex.digest(archive.head().version());
        ETag tag = tag(version);
        ObjectVersion own =
                ObjectVersion.ofETag(Optional.of(tag), (long) VERSION_BYTES + index.bytes(), Optional.empty());
        ObjectHead head = new ObjectHead(own, Optional.of(tag), Optional.empty(), HeaderList.EMPTY);
        blocks.prefetcher()
                .fillWritten(idOf(archive), tag, pieces(version, index.encoded()), source(head))
                .subscribe(
                        stored -> {},
                        failure -> log.debug("The index of {} is not stored: {}", archive.key(), failure.toString()));
    }

    private static List<ByteBuf> pieces(byte[] version, ByteBuffer index) {
        List<ByteBuf> pieces = new ArrayList<>();
        pieces.add(Unpooled.wrappedBuffer(version));
        for (int at = 0; at < index.limit(); at += PIECE_BYTES) {
            pieces.add(Unpooled.wrappedBuffer(index.slice(at, Math.min(PIECE_BYTES, index.limit() - at))));
        }
        return pieces;
    }

    private static ETag tag(byte[] version) {
        return ETag.strong(HexFormat.of().formatHex(version));
    }

    private static ObjectId idOf(SourceObject archive) {
        return ObjectId.current(PLACE + archive.id().backend(), archive.id().object());
    }

    /** An index in the cache has no bytes but those: what is missing must be made anew. */
    private static UnfetchableSource source(ObjectHead stored) {
        return new UnfetchableSource(
                stored,
                Party.GATEWAY,
                () -> new BackendException(
                        FailureKind.VERSION_CHANGED, "the index of an archive is not whole any more"));
    }
}
