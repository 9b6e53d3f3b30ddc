package io.millrace.cache.disk;

import io.millrace.cache.disk.folder.Superblock;
import io.millrace.cache.disk.io.DirtyBytes;
import io.millrace.cache.disk.io.DiskReadThreads;
import io.millrace.cache.disk.io.WriteBudget;
import io.millrace.cache.disk.segment.BlockDraft;
import io.millrace.cache.disk.segment.FooterEntry;
import io.millrace.cache.disk.segment.PageCacheEstimate;
import io.millrace.cache.disk.segment.Segment;
import io.millrace.cache.disk.segment.SegmentWriter;
import io.millrace.cache.disk.space.DiskSpace;
import io.millrace.cache.disk.space.QuotaEnforcer;
import io.millrace.cache.disk.space.SealedSegments;
import io.millrace.cache.disk.space.SharedStoreState;
import io.millrace.cache.index.IndexEntry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the records of one disk, segment after segment, and makes room before each. {@link #reopen} may be called by any
 * thread, the rest only by the disk's writer.
 */
final class SegmentLogWriter {
    private static final Logger log = LoggerFactory.getLogger(SegmentLogWriter.class);

    /**
     * So many segments are begun for a record at most, while what must stay fills them. Then it is given up, and the next record goes
     * on: nothing waits for all of a disk to be copied.
     */
    private static final int MOST_ROLLS = 16;

    private final Path folder;
    private final UUID disk;
    private final DiskSpace room;
    private final WriteBudget budget;
    private final SealedSegments sealed;
    private final DiskReadThreads reads;
    private final SharedStoreState parts;
    private final PageCacheEstimate likelyInMemory;
    private final QuotaEnforcer shares;
    private final DirtyBytes unforced;

    /** What was laid out in the open segment and is not written yet, in order. */
    private final Queue<LaidOut> laidOut = new ArrayDeque<>();

    private @Nullable SegmentWriter open;

    /** The last try to make room failed: nothing but what must stay is copied at the next. */
    private boolean hardlyWrites;

    /** A record that has its place, and who is told when it is there. */
    private record LaidOut(FooterEntry entry, WriteCallback outcome) {}

    SegmentLogWriter(
            Path folder,
            UUID disk,
            DiskSpace room,
            WriteBudget budget,
            SealedSegments sealed,
            DiskReadThreads reads,
            SharedStoreState parts) {
        this.budget = budget;
        this.folder = folder;
        this.disk = disk;
        this.room = room;
        this.sealed = sealed;
        this.reads = reads;
        this.unforced = new DirtyBytes(room.size(), () -> reads.wrote());
        this.parts = parts;
        this.likelyInMemory = parts.likelyInMemory();
        this.shares = new QuotaEnforcer(parts);
    }

    /** Opens a file of an earlier run; {@link SealedSegments#adopt} takes it in. */
    Segment reopen(Path file, int number) throws IOException {
        Segment[] self = new Segment[1];
        self[0] = Segment.open(file, number, reads, () -> closed(self[0]));
        return self[0];
    }

    /** Whether a block can be written now: there is room, or it can be made. */
    boolean takes(BlockDraft draft) {
        SegmentWriter writer = open;
        if (writer != null && writer.fits(draft)) {
            return true;
        }
        return !room.isHeldByReaders() && (sealed.isRecovered() || !room.isFull());
    }

    /**
     * Lays a record out behind the last one; {@link #flush} writes it, at the latest.
     *
     * @return whether it has room: not if all that would have to go for it must stay
     */
    boolean append(BlockDraft draft, WriteCallback outcome) throws IOException {
        SegmentWriter writer = writerFor(draft);
        if (!writer.fits(draft)) {
            return false;
        }
        laidOut.add(new LaidOut(writer.add(draft), outcome));
        room.left(writer.left());
        return true;
    }

    /** Writes what was laid out; then it is found. */
    void flush() throws IOException {
        SegmentWriter writer = open;
        if (writer == null) {
            return;
        }
        unforced.awaitRoomFor(writer.unforced() + writer.waitingBytes());
        writer.flush();
        shares.flushes();
        for (LaidOut record = laidOut.peek(); record != null; record = laidOut.peek()) {
            boolean found = publish(writer.segment(), record.entry());
            reads.wrote();
            laidOut.remove();
            record.outcome().written(found);
        }
        forceWhatIsMuch(writer);
    }

    private void forceWhatIsMuch(SegmentWriter writer) {
        if (writer.unforced() >= unforced.atOnce()) {
            forceSoon(writer);
        }
    }

    /** Waits until all that was written is on the disk. */
    void awaitForced() throws IOException {
        unforced.awaitAll();
    }

    /** Makes a written record one that is found. */
    private boolean publish(Segment segment, FooterEntry record) {
        likelyInMemory.touch(segment, record.start(), record.recordBytes());
        int group = parts.groups().group(record.label());
        IndexEntry entry = record.entry(segment.number()).in(group);
        boolean found = parts.index().put(record.key(), entry);
        while (!found && !parts.index().isShortOfMemory() && makeRoomInIndex()) {
            found = parts.index().put(record.key(), entry);
        }
        if (found) {
            shares.stored(record, reads);
        }
        return found;
    }

    /** Ends the open segment, at the end or after a failure; what was laid out in it and is not written is given up. */
    void end() {
        SegmentWriter writer = open;
        open = null;
        room.left(0);
        if (writer != null) {
            seal(writer);
        }
        for (LaidOut lost = laidOut.poll(); lost != null; lost = laidOut.poll()) {
            lost.outcome().written(false);
        }
    }

    /** The open segment, or the next; it may be full of what had to stay. */
    private SegmentWriter writerFor(BlockDraft draft) throws IOException {
        SegmentWriter writer = open == null ? roll(draft) : open;
        for (int rolls = 0; rolls < MOST_ROLLS && !writer.fits(draft); rolls++) {
            flush();
            open = null;
            seal(writer);
            writer = roll(draft);
        }
        return writer;
    }

    /** Opens the next segment, and makes room for it. What a record is stored in the place of is its own: then nothing else should go. */
    private SegmentWriter roll(BlockDraft first) throws IOException {
        room.look();
        if (room.isNone()) {
            throw new IOException("its file system is full");
        }
        requireOwnFolder();
        sealed.drop(room.shortBy());
        next();
        boolean sparing = shares.areUsedUpFor(first);
        long most = sparing ? withinBudget(QuotaEnforcer.spared(room.segmentBytes(), first)) : mostCopied();
        long copied = hardlyWrites ? 0 : most;
        hardlyWrites = true;
        sealed.shrink(this::roomFor, copied, sparing);
        hardlyWrites = false;
        SegmentWriter writer = Objects.requireNonNull(open);
        room.left(writer.left());
        return writer;
    }

    /** How much of a segment that goes is copied because it is worth it. */
    private long mostCopied() {
        return withinBudget((long) (room.segmentBytes() * parts.policy().copiedShare()));
    }

    /** What must stay is copied however much was written. */
    private long withinBudget(long copied) {
        return budget.isLeftForCopies() ? copied : 0;
    }

    /** Where the disk was taken away, nothing is to be left in its place. */
    private void requireOwnFolder() throws IOException {
        if (Superblock.diskAt(folder).filter(disk::equals).isEmpty()) {
            throw new IOException("its marker %s is gone".formatted(Superblock.NAME));
        }
    }

    private SegmentWriter next() throws IOException {
        long bytes = room.segmentBytes();
        int number = parts.numbers().incrementAndGet();
        Segment[] self = new Segment[1];
        self[0] = Segment.create(folder, number, disk, reads, () -> closed(self[0]));
        Segment segment = self[0];
        segment.bytes(bytes);
        room.take(bytes);
        parts.segments().add(segment);
        SegmentWriter writer = new SegmentWriter(segment, bytes, budget, parts.groups());
        open = writer;
        return writer;
    }

    /** Where a survivor goes: behind the last one, and what must stay into a segment more if there it has no room. */
    private @Nullable SegmentWriter roomFor(FooterEntry record, boolean must) throws IOException {
        SegmentWriter writer = open;
        if (writer != null && writer.fits(record.recordBytes())) {
            // It is written by whoever moves it, and not by a flush.
            forceWhatIsMuch(writer);
            unforced.awaitRoomFor(writer.unforced() + record.recordBytes());
            return writer;
        }
        if (!must || !room.isLittleBeyond()) {
            return null;
        }
        open = null;
        if (writer != null) {
            seal(writer);
        }
        return next();
    }

    private void closed(Segment segment) {
        room.take(-segment.bytes());
        if (segment.isRemoved()) {
            room.leaves(-segment.bytes());
        }
    }

    private boolean makeRoomInIndex() {
        try {
            return sealed.shrinkByOne(this::roomFor, mostCopied());
        } catch (IOException e) {
            parts.recorder().diskError();
            log.warn("No segment of {} can be let go: {}", folder, e.toString());
            return false;
        }
    }

    /** On another thread: the writer goes on meanwhile. */
    private void forceSoon(SegmentWriter writer) {
        long bytes = writer.unforced();
        writer.forced();
        unforced.begin(bytes);
        try {
            reads.execute(() -> {
                try {
                    force(writer.segment());
                } finally {
                    unforced.end(bytes);
                }
            });
        } catch (RejectedExecutionException closed) {
            unforced.end(bytes);
            throw closed;
        }
    }

    /** Unless it has gone by now: what waits its turn here must not keep the room of what was removed. */
    private void force(Segment segment) {
        if (!segment.acquire()) {
            return;
        }
        try {
            segment.file().force(false);
        } catch (IOException e) {
            parts.recorder().diskError();
            log.warn("Segment {} of {} cannot be forced to its disk: {}", segment.number(), folder, e.toString());
        } finally {
            segment.release();
        }
    }

    private void seal(SegmentWriter writer) {
        Segment segment = writer.segment();
        try {
            writer.seal();
            forceSoon(writer);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            // It is found record by record after the next start.
            log.warn("A segment of {} cannot be ended: {}", folder, e.toString());
        }
        segment.isWritten();
        long bytes = sizeOf(segment);
        room.take(bytes - segment.bytes());
        segment.bytes(bytes);
        sealed.add(segment);
    }

    private static long sizeOf(Segment segment) {
        try {
            return segment.file().size();
        } catch (IOException e) {
            return segment.bytes();
        }
    }
}
