package io.millrace.cache.disk;

import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.eviction.AdmissionAndEvictionPolicy.Space;
import io.millrace.cache.eviction.ShadowCaches;
import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.IndexEntry;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.monitor.NonAdmissionReason;
import io.millrace.cache.residency.GroupResidency;
import io.millrace.cache.residency.GroupResidencyCounter;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.cache.settings.ChecksumVerification;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stores blocks on all disks of the cache and finds them by fingerprint. Finding a block is a lookup in memory. Owns
 * the {@link CacheDisks}. Safe for use by any number of threads.
 */
public final class BlockStore implements AutoCloseable {
    /** Index fullness below which new entries are free: the share that remains after the eviction of a few segments. */
    private static final double INDEX_FREE = 0.8;

    /** Index fullness above which the next entry is likely to cost the eviction of a segment. */
    private static final double INDEX_LEFT = 0.97;

    private final CacheDisks disks;
    private final FingerprintHash hash;
    private final BlockIndex index;
    private final SegmentTable segments;
    private final AdmissionAndEvictionPolicy policy;
    private final ShadowCaches shadowCaches;
    private final GroupResidencyCounter groups;
    private final PinnedBlockFilter pins;
    private final BlockReadTracker reads;
    private final CacheEventListener recorder;
    private final boolean verifiesAlways;

    private BlockStore(CacheDisks disks, boolean verifiesAlways) {
        SharedDiskComponents parts = disks.parts();
        this.disks = disks;
        this.hash = parts.hash();
        this.index = parts.index();
        this.segments = parts.segments();
        this.policy = parts.policy();
        this.shadowCaches = parts.shadowCaches();
        this.groups = parts.groups();
        this.pins = parts.pins();
        this.reads = new BlockReadTracker(index, policy, shadowCaches, parts.pageCache(), parts.recorder());
        this.recorder = parts.recorder();
        this.verifiesAlways = verifiesAlways;
    }

    /**
     * Opens the disks of the settings. Their content is found after {@link CacheDisks#recover} has read it.
     *
     * @param memory folder of the cache state file
     * @throws IOException if a disk cannot be used; the message says which, why, and what to do
     */
    public static BlockStore open(
            CacheSettings settings, Path memory, AdmissionAndEvictionPolicy policy, CacheEventListener recorder)
            throws IOException {
        return open(settings, memory, policy, GroupResidencyCounter::none, recorder);
    }

    /**
     * Opens a store that counts residency by group.
     *
     * @param counted makes the groups from the hash of the store
     */
    public static BlockStore open(
            CacheSettings settings,
            Path memory,
            AdmissionAndEvictionPolicy policy,
            Function<FingerprintHash, GroupResidencyCounter> counted,
            CacheEventListener recorder)
            throws IOException {
        return new BlockStore(
                CacheDisks.open(settings, memory, policy, counted, recorder),
                settings.verify() == ChecksumVerification.ALWAYS);
    }

    /** Returns the disks that hold the blocks. */
    public CacheDisks disks() {
        return disks;
    }

    /**
     * Sets which blocks survive eviction: those whose identity matches, up to half of each disk. The disks' writers
     * call the predicate.
     *
     * @param pinned takes the identity of a block
     */
    public void pin(Predicate<ByteBuffer> pinned) {
        pins.set(pinned);
    }

    /** Ends pinning: eviction goes by frequency alone. */
    public void unpinAll() {
        pins.set(null);
    }

    /** Returns the keyed hash that makes this store's fingerprints. */
    public FingerprintHash hash() {
        return hash;
    }

    /** Returns a block to read, or null. The caller closes it. */
    public @Nullable StoredBlock find(Fingerprint key) {
        // The segment may be removed between the lookup and the acquire; then its entry is gone, too.
        for (int i = 0; i < 3; i++) {
            IndexEntry entry = index.find(key);
            if (entry == null) {
                return null;
            }
            Segment segment = segments.get(entry.segment());
            if (segment != null && segment.reads().areBypassed()) {
                return null;
            }
            if (segment != null && segment.acquire()) {
                return new StoredBlock(key, entry, segment, reads);
            }
            // Segment numbers are never reused: an entry of a segment that is gone is useless.
            boolean unused = index.remove(key, entry.place());
        }
        return null;
    }

    /**
     * Removes a block from the index. Its record stays on the disk, so the next start may find it again.
     *
     * @return bytes of its body; 0 if there was none
     */
    public int drop(Fingerprint key) {
        IndexEntry entry = index.find(key);
        return entry != null && index.remove(key, entry.place()) ? entry.bodyBytes() : 0;
    }

    /**
     * Removes a block whose bytes are wrong, for the next start, too. Does nothing for one that is not found; see
     * {@link BlockToWrite#withdrawn}.
     */
    public void withdraw(Fingerprint key) {
        StoredBlock block = find(key);
        if (block != null) {
            try (block) {
                block.withdraw();
            }
        }
    }

    /** Returns whether a block can be found at this moment; it may be evicted in the next. */
    public boolean contains(Fingerprint key) {
        // As in find: between the two lookups the block may be copied forward, and its segment removed.
        for (int i = 0; i < 3; i++) {
            IndexEntry entry = index.find(key);
            if (entry == null) {
                return false;
            }
            Segment segment = segments.get(entry.segment());
            if (segment != null) {
                return !segment.reads().areBypassed();
            }
        }
        return false;
    }

    /** Returns the folder of the disk that has a block but is bypassed; empty if there is none. */
    public Optional<Path> findUnavailableDisk(Fingerprint key) {
        IndexEntry entry = index.find(key);
        Segment segment = entry == null ? null : segments.get(entry.segment());
        return segment != null && segment.reads().areBypassed()
                ? Optional.of(segment.path().resolveSibling(""))
                : Optional.empty();
    }

    /** Counts a read of a block that is not cached. */
    public void recordMiss(Fingerprint key, int bytes) {
        reads.used(key, bytes);
    }

    /**
     * Returns the hit ratio that the cache would have at one of the {@link ShadowCaches#SIZES}; empty if too few reads
     * were seen.
     */
    public OptionalDouble hitRatioAt(int size) {
        return shadowCaches.hitRatio(size);
    }

    /**
     * Returns why a block is not worth writing; null if it is: it is pinned, or worth more than what eviction would
     * remove for it. If no disk accepts blocks, {@link #write} finds that out.
     *
     * @param key of the block in the draft
     */
    public @Nullable NonAdmissionReason whyNotAdmitted(Fingerprint key, BlockToWrite draft) {
        return whyNotAdmitted(key, draft, false);
    }

    /**
     * Returns why a block is not worth writing, as the other method does.
     *
     * @param asIfFull whether it must be read often enough for an eviction, also where there is room
     */
    public @Nullable NonAdmissionReason whyNotAdmitted(Fingerprint key, BlockToWrite draft, boolean asIfFull) {
        CacheDisk disk = disks.leastLoaded();
        if (disk == null) {
            return null;
        }
        NonAdmissionReason reason = null;
        Space onDisk = disk.space(RecordHeader.recordBytes(draft));
        Space inIndex = inIndex();
        // The quota first: a block that it keeps out is missed again and again, and tells the policy nothing of others.
        if (!groups.admit(key, draft.identity(), draft.bodyBytes(), index)) {
            reason = NonAdmissionReason.QUOTA;
        } else if (!policy.admits(key, asIfFull ? Space.COPY : scarcer(onDisk, inIndex), index)) {
            reason = inIndex.compareTo(onDisk) > 0 ? NonAdmissionReason.INDEX_MEMORY : NonAdmissionReason.CAPACITY;
        }
        return reason == null || pins.matches(draft.identity().duplicate()) ? null : reason;
    }

    /** Small blocks fill the index before the disks; segments are evicted for that, too. */
    private Space inIndex() {
        double fullness = index.fullness();
        if (fullness < INDEX_FREE) {
            return Space.FREE;
        }
        return fullness < INDEX_LEFT ? Space.LEFT : Space.NONE;
    }

    private static Space scarcer(Space one, Space other) {
        return one.compareTo(other) >= 0 ? one : other;
    }

    /** Returns whether any disk accepts blocks at all. */
    public boolean takesWrites() {
        return disks.leastLoaded() != null;
    }

    /**
     * Writes a block to the disk with the most room and the shortest queue.
     *
     * @param outcome called once, even if no disk accepts the block; the draft's body must not change before that
     */
    public void write(BlockToWrite draft, BlockWriteCallback outcome) {
        CacheDisk disk = disks.leastLoaded();
        if (disk == null) {
            recorder.notStored(draft.bodyBytes());
            outcome.written(false);
            return;
        }
        disk.write(draft, outcome);
    }

    /** Returns what is cached of each group. */
    public List<GroupResidency> groups() {
        return groups.states();
    }

    /**
     * Returns what is cached of one group.
     *
     * @param at its place among {@link #groups()}
     */
    public GroupResidency group(int at) {
        return groups.state(at);
    }

    /** Returns whether every read is verified against its checksums. */
    public boolean verifiesAlways() {
        return verifiesAlways;
    }

    /** Returns the number of blocks that can be found. */
    public long records() {
        return index.size();
    }

    /** Returns the bytes of the index. */
    public long indexMemory() {
        return index.memory();
    }

    /** Writes what is queued, and releases the disks. The store must not be used during or after it. */
    @Override
    public void close() {
        disks.close();
    }
}
