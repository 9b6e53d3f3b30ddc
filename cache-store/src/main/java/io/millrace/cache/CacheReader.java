package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.cache.fill.FillManager;
import io.millrace.cache.fill.FillManager.Origin;
import io.millrace.cache.fill.NonBlockingBlockReader;
import io.millrace.cache.fill.OpeningFill;
import io.millrace.cache.metadata.MetadataCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Reads objects through the cache: from disk or memory if cached, else from their backend. Decides nothing about
 * freshness. Safe for use by any number of threads; never blocks.
 */
public final class CacheReader {
    /** The context key for the {@link java.util.concurrent.Executor} on which the buffers of a body are emitted. */
    public static final String EXECUTOR = FillManager.EXECUTOR;

    /** The context key by which the subscriber of a body accepts buffers only, because it encrypts them. */
    public static final String BUFFERS_ONLY = FillManager.BUFFERS_ONLY;

    /** The maximum size of an object that is fetched by one request. */
    public static final long WHOLE_BYTES = FillManager.WHOLE_BYTES;

    /** The most bytes of a request that opens a range. */
    public static final long RANGE_BYTES = UncachedObjectOpener.MAX_BYTES;

    private final MetadataCache metadata;
    private final ObjectFetcher fetcher;
    private final VersionFillSourceFactory versions;
    private final FillManager fills;
    private final NonBlockingBlockReader immediate;
    private final BlockLocator locator;
    private final CachedRangeScanner scanner;

    CacheReader(
            MetadataCache metadata,
            ObjectFetcher fetcher,
            VersionFillSourceFactory versions,
            FillManager fills,
            NonBlockingBlockReader immediate,
            BlockLocator locator,
            CachedRangeScanner scanner) {
        this.metadata = metadata;
        this.fetcher = fetcher;
        this.versions = versions;
        this.fills = fills;
        this.immediate = immediate;
        this.locator = locator;
        this.scanner = scanner;
    }

    /**
     * Returns the cached metadata of an object, fresh or stale; empty if there is none. Known at once if it is in
     * memory.
     */
    public Mono<ObjectMetadata> find(ObjectId id) {
        return metadata.find(id);
    }

    /**
     * Returns the metadata of an object that its caller knows by other means, to read its blocks with. Nothing is
     * remembered of it, so that nothing can be outdated; the blocks stay as those of any version.
     *
     * @param head with a strong validator that no other content under this id has
     * @param fetchedAt when the caller knew it, in milliseconds since 1970
     */
    public ObjectMetadata describe(ObjectId id, ObjectHead head, long fetchedAt) {
        return fetcher.describe(id, head, fetchedAt);
    }

    /**
     * Returns bytes of the version that {@code object} describes if they can be read from one stored block without
     * waiting for its disk; null otherwise, and then {@link #read} has them. The caller owns the buffer.
     */
    public @Nullable ByteBuf readFromMemory(ObjectMetadata object, ByteRange range) {
        return immediate.read(object.version(), object.blockSize(), range);
    }

    /**
     * Fetches an object of which no metadata is cached; the response's body is its first fill. Concurrent callers share
     * one request.
     */
    public Mono<UncachedOpenResult> open(ObjectId id, ByteSelection wanted, ObjectSource source) {
        return fetcher.open(id, wanted, source, Origin.FETCHED);
    }

    /**
     * Asks the backend for an object's metadata and caches it.
     *
     * @param strict whether the request must be sent after this call; otherwise one in flight will do
     */
    public Mono<ObjectMetadata> revalidate(ObjectId id, boolean strict, ObjectSource source) {
        return fetcher.revalidate(id, strict, source);
    }

    /**
     * Returns bytes of the version that {@code object} describes: from disks, from fills in flight, from the backend.
     * One subscriber, who owns the buffers: {@link io.netty.buffer.ByteBuf}s and, without {@link #BUFFERS_ONLY} in its
     * context, {@link io.netty.channel.FileRegion}s. Fails with {@link BackendException.FailureKind#VERSION_CHANGED},
     * and invalidates the metadata, if the backend has another version now and some bytes are not cached.
     *
     * @param opening the fill that the caller's {@link #open} began, if any
     */
    public Flux<ReferenceCounted> read(
            ObjectMetadata object, ByteRange range, ObjectSource source, Optional<OpeningFill> opening) {
        return fills.read(versions.create(object, source), range, opening);
    }

    /**
     * Returns bytes of a version as {@link #read} does, in buffers only: for those that do not send them to a socket,
     * or encrypt them.
     */
    public Flux<ByteBuf> readBuffers(
            ObjectMetadata object, ByteRange range, ObjectSource source, Optional<OpeningFill> opening) {
        return fills.readBuffers(versions.create(object, source), range, opening);
    }

    /** Returns where an object's bytes are, judged by the first blocks of the range. */
    public BlockAvailability availability(ObjectMetadata object, ByteRange range) {
        return locator.locate(object, range);
    }

    /**
     * Returns whether all of an object's bytes are on disk: at once for few blocks, for many on another thread. Empty
     * if {@value CachedRangeScanner#MAX_CONCURRENT} such scans are running. Cancelling ends it.
     */
    public Mono<Boolean> isFullyResident(ObjectMetadata object, ByteRange range) {
        return scanner.isFullyResident(object, range);
    }

    /**
     * Returns the bytes of an object's first {@value CachedRangeScanner#MAX_COUNTED_BLOCKS} blocks that are on disk, as
     * {@link #isFullyResident} does it: no disks hold more.
     */
    public Mono<Long> countResidentBytes(ObjectMetadata object) {
        return scanner.countResidentBytes(object);
    }
}
