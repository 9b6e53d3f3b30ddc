package io.millrace.cache.disk;

import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.index.BlockIndex;
import io.millrace.cache.index.IndexEntry;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.residency.GroupResidencyCounter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends cached blocks to the segment files of one disk, and evicts old segment files to make room for new ones. For
 * the disk's writer alone.
 */
final class SegmentLogWriter {
    private static final Logger log = LoggerFactory.getLogger(SegmentLogWriter.class);

    /**
     * Segments that are begun for one record at most, while pinned records fill them. After that the record is
     * rejected, so that nothing waits until a whole disk has been copied.
     */
    private static final int MOST_ROLLS = 16;

    private final SegmentFiles files;
    private final DiskSpace space;
    private final WriteBudget budget;
    private final SealedSegments sealed;
    private final DiskReadThreads reads;
    private final BlockIndex index;
    private final GroupResidencyCounter groups;
    private final AdmissionAndEvictionPolicy policy;
    private final PageCacheEstimate pageCache;
    private final GroupQuotaEnforcer quotas;
    private final CacheEventListener recorder;
    private final DirtyBytes dirtyBytes;

    /** Records that have a place in the open segment but are not written yet, in order. */
    private final Queue<LaidOut> laidOut = new ArrayDeque<>();

    /** Set by the writer thread. Others only read whether there is one. */
    private volatile @Nullable SegmentWriter open;

    /** Set while the last attempt to make room has failed: the next copies only pinned records. */
    private boolean lastRollFailed;

    /** A record with a place, and the callback to call when it is written. */
    private record LaidOut(SegmentFooterEntry entry, BooleanSupplier withdrawn, BlockWriteCallback outcome) {}

    /** @param reads threads of the disk, which sync what was written */
    SegmentLogWriter(
            SegmentFiles files,
            DiskSpace space,
            WriteBudget budget,
            SealedSegments sealed,
            DiskReadThreads reads,
            BlockIndex index,
            GroupResidencyCounter groups,
            AdmissionAndEvictionPolicy policy,
            PageCacheEstimate pageCache,
            GroupQuotaEnforcer quotas,
            CacheEventListener recorder) {
        this.files = files;
        this.space = space;
        this.budget = budget;
        this.sealed = sealed;
        this.reads = reads;
        this.index = index;
        this.groups = groups;
        this.policy = policy;
        this.pageCache = pageCache;
        this.quotas = quotas;
        this.recorder = recorder;
        this.dirtyBytes = new DirtyBytes(space.size(), () -> reads.writerProgressed());
    }

    /** Returns whether a segment is being written. Safe for any thread. */
    boolean hasOpenSegment() {
        return open != null;
    }

    /** Returns whether a block can be written now: there is room, or room can be made. */
    boolean takes(BlockToWrite draft) {
        SegmentWriter writer = open;
        if (writer != null && writer.fits(draft)) {
            return true;
        }
        return !space.isHeldByReaders() && (sealed.isRecovered() || !space.isFull());
    }

    /**
     * Places a record after the last one. {@link #flush} writes it.
     *
     * @return false if there is no room, because everything that would have to be evicted is pinned
     */
    boolean append(BlockToWrite draft, BlockWriteCallback outcome) throws IOException {
        SegmentWriter writer = writerFor(draft);
        if (!writer.fits(draft)) {
            return false;
        }
        laidOut.add(new LaidOut(writer.add(draft), draft.withdrawn(), outcome));
        space.left(writer.left());
        return true;
    }

    /** Writes the placed records and adds them to the index. */
    void flush() throws IOException {
        SegmentWriter writer = open;
        if (writer == null) {
            return;
        }
        dirtyBytes.awaitCapacity(writer.unsynced() + writer.waitingBytes());
        writer.flush();
        quotas.flushes();
        for (LaidOut record = laidOut.peek(); record != null; record = laidOut.peek()) {
            boolean found = publish(writer.segment(), record.entry(), record.withdrawn());
            reads.writerProgressed();
            laidOut.remove();
            record.outcome().written(found);
        }
        syncIfLarge(writer);
    }

    private void syncIfLarge(SegmentWriter writer) {
        if (writer.unsynced() >= dirtyBytes.atOnce()) {
            syncInBackground(writer);
        }
    }

    /** Waits until everything written is durable. */
    void awaitSynced() throws IOException {
        dirtyBytes.awaitAll();
    }

    /** Adds a written record to the index unless it is withdrawn, and evicts segments while the index is full. */
    private boolean publish(Segment segment, SegmentFooterEntry record, BooleanSupplier withdrawn) throws IOException {
        pageCache.touch(segment, record.start(), record.recordBytes());
        int group = groups.group(record.label());
        IndexEntry entry = record.entry(segment.number()).in(group);
        boolean found = index.putUnless(withdrawn, record.key(), entry);
        while (!found && !withdrawn.getAsBoolean() && !index.isShortOfMemory() && evictForIndex()) {
            found = index.putUnless(withdrawn, record.key(), entry);
        }
        if (found) {
            quotas.stored(record, reads);
        } else if (withdrawn.getAsBoolean()) {
            RecordHeader.withdraw(segment.path(), record.start(), record.key());
        }
        return found;
    }

    /** Seals the open segment, at the end or after a failure, and rejects records that are not written. */
    void end() {
        SegmentWriter writer = open;
        open = null;
        space.left(0);
        if (writer != null) {
            seal(writer);
        }
        for (LaidOut lost = laidOut.poll(); lost != null; lost = laidOut.poll()) {
            lost.outcome().written(false);
        }
    }

    /** Returns the open segment, or the next one; it may be full of pinned records. */
    private SegmentWriter writerFor(BlockToWrite draft) throws IOException {
        SegmentWriter writer = open == null ? roll(draft) : open;
        for (int rolls = 0; rolls < MOST_ROLLS && !writer.fits(draft); rolls++) {
            flush();
            open = null;
            seal(writer);
            writer = roll(draft);
        }
        return writer;
    }

    /**
     * Begins the next segment, and makes room for it. If the quota of the record's bucket is used up, eviction spares
     * others.
     */
    private SegmentWriter roll(BlockToWrite first) throws IOException {
        space.refresh();
        if (space.isNone()) {
            throw new IOException("its file system is full");
        }
        files.requireOwnFolder();
        sealed.drop(space.shortBy());
        next();
        boolean sparing = quotas.areUsedUpFor(first);
        long most = sparing ? withinBudget(GroupQuotaEnforcer.spared(space.segmentBytes(), first)) : mostCopied();
        long copied = lastRollFailed ? 0 : most;
        lastRollFailed = true;
        sealed.shrink(this::segmentFor, copied, sparing);
        lastRollFailed = false;
        SegmentWriter writer = Objects.requireNonNull(open);
        space.left(writer.left());
        return writer;
    }

    /** Returns how many bytes of an evicted segment may be copied forward. */
    private long mostCopied() {
        return withinBudget((long) (space.segmentBytes() * policy.copiedShare()));
    }

    /** Returns 0 if the write budget is used up; pinned records are copied nevertheless. */
    private long withinBudget(long copied) {
        return budget.isLeftForCopies() ? copied : 0;
    }

    private SegmentWriter next() throws IOException {
        Segment segment = files.create();
        SegmentWriter writer = new SegmentWriter(segment, segment.bytes(), budget, groups);
        open = writer;
        return writer;
    }

    /** Returns the writer for a record that is copied forward; a pinned one may begin another segment. */
    private @Nullable SegmentWriter segmentFor(SegmentFooterEntry record, boolean must) throws IOException {
        SegmentWriter writer = open;
        if (writer != null && writer.fits(record.recordBytes())) {
            // SegmentEvictor writes it, so no flush follows.
            syncIfLarge(writer);
            dirtyBytes.awaitCapacity(writer.unsynced() + record.recordBytes());
            return writer;
        }
        if (!must || !space.isLittleBeyond()) {
            return null;
        }
        open = null;
        if (writer != null) {
            seal(writer);
        }
        return next();
    }

    private boolean evictForIndex() {
        try {
            return sealed.shrinkByOne(this::segmentFor, mostCopied());
        } catch (IOException e) {
            recorder.diskError();
            log.warn("No segment of {} can be evicted for room in the index: {}", files.folder(), e.toString());
            return false;
        }
    }

    /** Syncs a segment on another thread while the writer goes on. */
    private void syncInBackground(SegmentWriter writer) {
        long bytes = writer.unsynced();
        writer.forced();
        dirtyBytes.begin(bytes);
        try {
            reads.execute(() -> {
                try {
                    sync(writer.segment());
                } finally {
                    dirtyBytes.end(bytes);
                }
            });
        } catch (RejectedExecutionException closed) {
            dirtyBytes.end(bytes);
            throw closed;
        }
    }

    /** Syncs a segment unless it was removed: a queued sync must not hold the space of a removed file. */
    private void sync(Segment segment) {
        if (!segment.acquire()) {
            return;
        }
        try {
            segment.file().force(false);
        } catch (IOException e) {
            recorder.diskError();
            log.warn("Segment {} of {} cannot be synced: {}", segment.number(), files.folder(), e.toString());
        } finally {
            segment.release();
        }
    }

    private void seal(SegmentWriter writer) {
        Segment segment = writer.segment();
        try {
            writer.seal();
            syncInBackground(writer);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            log.warn(cannotBeSealed(segment.path(), e));
        }
        files.complete(segment);
        sealed.add(segment);
    }

    /** Tells what a failed seal costs, and what to do. The next start reads such a segment record by record. */
    static String cannotBeSealed(Path segment, Throwable cause) {
        return ("%s cannot be sealed: %s. Its blocks stay hits, and nothing need be done for them: only the next start"
                        + " takes longer, because it reads all of it. Make room on this disk if it is full; otherwise"
                        + " look for its errors in the kernel's log")
                .formatted(segment, cause);
    }
}
