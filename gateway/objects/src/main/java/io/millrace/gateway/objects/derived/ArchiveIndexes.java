package io.millrace.gateway.objects.derived;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.archive.ArchiveLimits;
import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.async.SingleFlight;
import io.millrace.kit.share.FairSemaphore;
import io.millrace.kit.share.Party;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The indexes of archives, in memory: one an archive, of the version that was last read. All who wait for one share a
 * scan, and get the member that they wait for when it is met. Beside the archives that are cached, indexes are stored
 * in the cache. It outlives the settings. Thread-safe.
 */
public final class ArchiveIndexes {
    /** The part of the heap for indexes, and the least memory for them. */
    static final int SHARE_OF_HEAP = 16;

    static final long LEAST_BYTES = 32 << 20;

    /** The part of it that one index may take. A scan takes up to four times as much while it runs. */
    static final int SHARE_OF_ONE = 4;

    /** Scans that run, and that wait. */
    static final int MOST_SCANS = 4;

    static final int MOST_WAITING = 64;

    /** What an index takes beside its own bytes. */
    private static final int OVERHEAD = 500;

    /** The least that a member takes. A scan of a zip needs no less for an entry that is hidden. */
    private static final int LEAST_OF_MEMBER = 20;

    private final Cache<ObjectId, ArchiveIndex> inMemory;
    private final SingleFlight<Version, ArchiveIndex> scans = new SingleFlight<>();
    private final ConcurrentMap<Version, MetMembers> met = new ConcurrentHashMap<>();
    private final FairSemaphore slots = new FairSemaphore(MOST_SCANS, MOST_WAITING, ArchiveFailures::tooManyScans);
    private final ArchiveMeters meters = new ArchiveMeters();
    private final ArchiveLimits limits;
    private final StoredIndexes stored;

    // A scan gives it one index, to sort and to store, and a reader one look at what a scan has met: so few wait.
    private final Executor sorters =
            DaemonThreads.pool("member-index-", MOST_SCANS, Duration.ofMinutes(1), new LinkedBlockingQueue<>());

    private record Version(ObjectId archive, ObjectVersion version) {}

    /**
     * Takes a part of the heap.
     *
     * @param cache empty if indexes are in memory only
     */
    public ArchiveIndexes(Optional<BlockCache> cache) {
        this(cache, Math.max(LEAST_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP));
    }

    /** @param bytes the memory for all indexes */
    ArchiveIndexes(Optional<BlockCache> cache, long bytes) {
        inMemory = Caffeine.newBuilder()
                .maximumWeight(bytes)
                .weigher(ArchiveIndexes::weight)
                .executor(Runnable::run)
                .build();
        ArchiveLimits all = ArchiveLimits.defaults();
        int ofOne = (int) Math.min(all.indexBytes(), bytes / SHARE_OF_ONE);
        limits = new ArchiveLimits(
                Math.min(all.members(), ofOne / LEAST_OF_MEMBER),
                ofOne,
                all.extendedHeaderBytes(),
                all.directoryBytes(),
                all.nameBytes());
        stored = new StoredIndexes(cache, ofOne, sorters);
    }

    /** Registers the meters of scans and indexes. */
    public void register(MeterRegistry registry) {
        meters.register(
                registry,
                slots,
                inMemory::estimatedSize,
                () -> inMemory.policy().eviction().orElseThrow().weightedSize().orElse(0));
    }

    /** Returns the index of an archive's version if it is in memory, and counts that as a hit. */
    @Nullable ArchiveIndex known(SourceObject archive) {
        @Nullable ArchiveIndex index = peek(archive);
        if (index != null) {
            meters.hit();
        }
        return index;
    }

    /** Returns the index of an archive's version if it is in memory; counts nothing. */
    @Nullable ArchiveIndex peek(SourceObject archive) {
        return peek(archive.id(), archive.head().version());
    }

    private @Nullable ArchiveIndex peek(ObjectId archive, ObjectVersion version) {
        @Nullable ArchiveIndex index = inMemory.getIfPresent(archive);
        return index != null && index.isOf(version) ? index : null;
    }

    /**
     * Returns what the index of a cached archive's version has, if it is in memory.
     *
     * @param member the name of a member whose place is wanted
     */
    public Optional<ArchivePreview> preview(ObjectMetadata archive, Optional<String> member) {
        return Optional.ofNullable(peek(archive.id(), archive.head().version()))
                .map(index -> ArchivePreview.of(index, member));
    }

    /** Returns the index of an archive's version; scans the archive if it is neither in memory nor in the cache. */
    Mono<ArchiveIndex> of(SourceObject archive) {
        Version version = versionOf(archive);
        return Mono.deferContextual(context -> {
            TierRequest tier = TierRequest.from(context).ofCache();
            if (peek(archive) == null) {
                meters.miss();
            }
            return scans.joinUnlessKnown(version, () -> peek(archive), () -> made(version, archive, tier));
        });
    }

    /**
     * Returns an index of an archive's version that has a member if the archive has it: that of this member alone if a
     * scan meets it before its end.
     */
    Mono<ArchiveIndex> with(String name, SourceObject archive) {
        Version version = versionOf(archive);
        return usingMet(
                version,
                members -> Mono.firstWithSignal(
                        members.await(name, sorters)
                                .map(member -> new ArchiveIndex(version.version(), member, members.hasFetched())),
                        of(archive)));
    }

    private static Version versionOf(SourceObject archive) {
        return new Version(archive.id(), archive.head().version());
    }

    private Mono<ArchiveIndex> made(Version version, SourceObject archive, TierRequest tier) {
        return stored.find(archive, tier.party())
                .map(members -> new ArchiveIndex(version.version(), members, false))
                .switchIfEmpty(scanned(version, archive, tier.party()))
                .doOnNext(index -> inMemory.put(version.archive(), index))
                .contextWrite(tier::writeTo);
    }

    private Mono<ArchiveIndex> scanned(Version version, SourceObject archive, Party party) {
        return usingMet(
                version,
                shared -> slots.run(
                                party, meters.measured(() -> new ArchiveScan(archive, limits, sorters, shared).run()))
                        .doOnNext(members -> stored.store(archive, members))
                        .map(members -> new ArchiveIndex(version.version(), members, shared.hasFetched())));
    }

    /** Uses what all who use it now have together: the scan of a version, and the readers of its members. */
    private <T> Mono<T> usingMet(Version version, Function<MetMembers, Mono<T>> use) {
        return Mono.using(
                () -> met.compute(version, (same, current) -> (current == null ? new MetMembers() : current).joined()),
                use,
                used -> met.computeIfPresent(version, (same, current) -> current.left()));
    }

    private static int weight(ObjectId archive, ArchiveIndex index) {
        return OVERHEAD + 2 * archive.characters() + index.bytes();
    }
}
