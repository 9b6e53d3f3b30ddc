package io.millrace.gateway.objects.derived;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.archive.ArchiveLimits;
import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.async.SingleFlight;
import io.millrace.kit.share.FairSemaphore;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The indexes of archives, in memory: one an archive, of the version that was last read. All who wait for one share a
 * scan. It outlives the settings. Thread-safe.
 */
public final class ArchiveIndexes {
    /** The part of the heap for indexes, and the least memory for them. */
    static final int SHARE_OF_HEAP = 16;

    static final long LEAST_BYTES = 32 << 20;

    /** The part of it that one index may take. A scan takes up to three times as much while it runs. */
    static final int SHARE_OF_ONE = 4;

    /** Scans that run, and that wait. */
    static final int MOST_SCANS = 4;

    static final int MOST_WAITING = 64;

    /** What an index takes beside its own bytes. */
    private static final int OVERHEAD = 500;

    private final Cache<ObjectId, ArchiveIndex> inMemory;
    private final SingleFlight<Version, ArchiveIndex> scans = new SingleFlight<>();
    private final FairSemaphore slots =
            new FairSemaphore(MOST_SCANS, MOST_WAITING, ArchiveFailures::tooManyScans);
    private final ArchiveLimits limits;

    // A scan gives it one index, so that no more wait than scans run.
    private final Executor sorters =
            DaemonThreads.pool("member-index-", MOST_SCANS, Duration.ofMinutes(1), new LinkedBlockingQueue<>());

    private record Version(ObjectId archive, ObjectVersion version) {}

    /** Takes a part of the heap. */
    public ArchiveIndexes() {
        this(Math.max(LEAST_BYTES, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP));
    }

    /** @param bytes the memory for all indexes */
    ArchiveIndexes(long bytes) {
        inMemory = Caffeine.newBuilder()
                .maximumWeight(bytes)
                .weigher(ArchiveIndexes::weight)
                .executor(Runnable::run)
                .build();
        ArchiveLimits all = ArchiveLimits.defaults();
        int ofOne = (int) Math.min(all.indexBytes(), bytes / SHARE_OF_ONE);
        limits = new ArchiveLimits(
                all.members(), ofOne, all.extendedHeaderBytes(), all.directoryBytes(), all.nameBytes());
    }

    /** Returns the index of an archive's version if it is in memory. */
    @Nullable ArchiveIndex known(OpenArchive archive) {
        @Nullable ArchiveIndex index = inMemory.getIfPresent(archive.id());
        return index != null && index.isOf(archive.head().version()) ? index : null;
    }

    /** Returns the index of an archive's version; scans the archive if it is not in memory. */
    Mono<ArchiveIndex> of(OpenArchive archive) {
        Version version = new Version(archive.id(), archive.head().version());
        return Mono.deferContextual(context -> {
            TierRequest tier = TierRequest.from(context);
            return scans.joinUnlessKnown(
                    version,
                    () -> known(archive),
                    () -> slots.run(tier.party(), new ArchiveScan(archive, limits, sorters).run())
                            .map(members -> new ArchiveIndex(version.version(), members))
                            .doOnNext(index -> inMemory.put(version.archive(), index))
                            .contextWrite(tier::writeTo));
        });
    }

    private static int weight(ObjectId archive, ArchiveIndex index) {
        return OVERHEAD + 2 * archive.characters() + index.members().bytes();
    }
}
