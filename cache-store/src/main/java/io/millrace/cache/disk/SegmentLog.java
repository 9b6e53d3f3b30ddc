package io.millrace.cache.disk;

import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segments of one disk, oldest first, and the open one at their end. When they fill the disk's size the oldest goes, what
 * of it is worth keeping is copied to the open one. {@link #used}, {@link #isFull}, {@link #adopt} and {@link #dropOldest} may
 * be called by any thread, the rest only by the disk's writer.
 */
final class SegmentLog {
    private static final Logger log = LoggerFactory.getLogger(SegmentLog.class);

    /** Dirty bytes that a power cut may take. */
    private static final long FORCE_BYTES = 64L << 20;

    /** The part of a disk's size that slow readers of removed segments may hold: one in so many. */
    private static final int MOST_LEAVING = 4;

    private final Path folder;
    private final UUID disk;
    private final long capacity;
    private final long segmentBytes;
    private final Segment.Home home;
    private final StoreParts parts;
    private final Residency residency;
    private final Newest newest;
    private final Survivors survivors;
    private final Deque<Segment> sealed = new ArrayDeque<>();
    private final AtomicLong used = new AtomicLong();

    /** Bytes of removed segments that are still read. */
    private final AtomicLong leaving = new AtomicLong();

    /** What was laid out in the open segment and is not written yet, in order. */
    private final Queue<LaidOut> laidOut = new ArrayDeque<>();

    private volatile boolean recovered;
    private @Nullable SegmentWriter open;

    /** The last try to make room failed: nothing but what must stay is copied at the next. */
    private boolean hardlyWrites;

    /** A record that has its place, and who is told when it is there. */
    private record LaidOut(Footer.Line line, Outcome outcome) {}

    SegmentLog(Path folder, UUID disk, long capacity, long segmentBytes, Segment.Home home, StoreParts parts) {
        this.folder = folder;
        this.disk = disk;
        this.home = home;
        this.capacity = capacity;
        this.segmentBytes = segmentBytes;
        this.parts = parts;
        this.residency = parts.residency();
        this.newest = new Newest(parts);
        this.survivors = new Survivors(parts);
    }

    /** Bytes of all files, those included that have lost their name and are still read. The open one counts in full. */
    long used() {
        return used.get();
    }

    boolean isFull() {
        return used.get() + segmentBytes > capacity;
    }

    /** Files of earlier runs take so many bytes. They count from now on; {@link #adopt} takes them in. */
    void expect(long bytes) {
        used.addAndGet(bytes);
    }

    /** Files that were expected are gone, or counted in another way. */
    void expectNoMore(long bytes) {
        used.addAndGet(-bytes);
    }

    /**
     * All that earlier runs left is known. Not before may anything go: an older record of a key might be found after the one
     * that counts has left.
     */
    void recovered() {
        recovered = true;
    }

    /** Takes a file of an earlier run in, the newer ones first. */
    void adopt(Segment segment) {
        used.addAndGet(segment.bytes());
        parts.segments().add(segment);
        synchronized (sealed) {
            sealed.addFirst(segment);
        }
    }

    /** Opens a file of an earlier run; {@link #adopt} takes it in. */
    Segment reopen(Path file, int number) throws IOException {
        Segment[] self = new Segment[1];
        self[0] = Segment.open(file, number, home, () -> closed(self[0]));
        return self[0];
    }

    /**
     * Whether a record can be written now: there is room, or it can be made. What replaces an older record is taken a little
     * beyond that, since not to have it means to distrust all heads later.
     */
    boolean takes(RecordDraft draft) {
        SegmentWriter writer = open;
        if (writer != null && writer.fits(draft)) {
            return true;
        }
        boolean room = leaving.get() <= capacity / MOST_LEAVING && (recovered || !isFull());
        return room || (draft.kind().isReplaceable() && isLittleBeyond());
    }

    private boolean isLittleBeyond() {
        return used.get() <= capacity + capacity / MOST_LEAVING + segmentBytes;
    }

    /** Lays a record out behind the last one; {@link #flush} writes it, at the latest. */
    void append(RecordDraft draft, Outcome outcome) throws IOException {
        SegmentWriter writer = writerFor(draft);
        laidOut.add(new LaidOut(writer.add(draft), outcome));
    }

    /** Writes what was laid out; then it is found. */
    void flush() throws IOException {
        SegmentWriter writer = open;
        if (writer == null) {
            return;
        }
        writer.flush();
        for (LaidOut record = laidOut.peek(); record != null; record = laidOut.peek()) {
            boolean found = publish(writer.segment(), record.line());
            laidOut.remove();
            record.outcome().written(found);
        }
        if (writer.unforced() >= FORCE_BYTES) {
            forceSoon(writer);
        }
    }

    /** Makes a written record one that is found. */
    private boolean publish(Segment segment, Footer.Line line) {
        residency.touch(segment, line.start(), line.recordBytes());
        Newest.Result result = newest.put(line, segment.number());
        while (result == Newest.Result.NO_ROOM && evictOldest()) {
            result = newest.put(line, segment.number());
        }
        if (result == Newest.Result.NO_ROOM && line.isHead()) {
            home.doubt().run();
        }
        return result == Newest.Result.FOUND;
    }

    /** Gives the open segment up after a failure, and what was laid out in it. */
    void abandon() {
        SegmentWriter writer = open;
        open = null;
        if (writer != null) {
            seal(writer);
        }
        for (LaidOut lost = laidOut.poll(); lost != null; lost = laidOut.poll()) {
            if (lost.line().isHead()) {
                // It may be there all the same.
                home.doubt().run();
            }
            lost.outcome().written(false);
        }
    }

    /** Ends the open segment, and lets go of all of them; who still reads one holds it. */
    void close() {
        abandon();
        synchronized (sealed) {
            sealed.forEach(segment -> {
                parts.segments().remove(segment);
                segment.release();
            });
            sealed.clear();
        }
    }

    private SegmentWriter writerFor(RecordDraft draft) throws IOException {
        SegmentWriter writer = open;
        if (writer != null && !writer.fits(draft)) {
            // Published before anything is copied forward: the older record of a key must not come to lie behind the
            // newer.
            flush();
            open = null;
            seal(writer);
            writer = null;
        }
        return writer == null ? roll() : writer;
    }

    /** Opens the next segment, and makes room for it. */
    private SegmentWriter roll() throws IOException {
        next();
        long most = hardlyWrites ? 0 : (long) (segmentBytes * parts.policy().copiedShare());
        hardlyWrites = true;
        Deque<Segment> victims = victims();
        try {
            for (Segment victim = victims.peek(); victim != null; victim = victims.peek()) {
                most -= evict(victim, most);
                victims.remove();
            }
        } finally {
            putBack(victims);
        }
        hardlyWrites = false;
        return Objects.requireNonNull(open);
    }

    private SegmentWriter next() throws IOException {
        int number = parts.numbers().incrementAndGet();
        Segment[] self = new Segment[1];
        self[0] = Segment.create(folder, number, disk, home, () -> closed(self[0]));
        Segment segment = self[0];
        segment.bytes(segmentBytes);
        used.addAndGet(segmentBytes);
        parts.segments().add(segment);
        SegmentWriter writer = new SegmentWriter(segment, segmentBytes);
        open = writer;
        return writer;
    }

    /** Where a survivor goes: behind the last one, and what must stay into a segment more if there it has no room. */
    private @Nullable SegmentWriter roomFor(Footer.Line line) throws IOException {
        SegmentWriter writer = open;
        if (writer != null && writer.fits(line.recordBytes())) {
            return writer;
        }
        if (line.kind() != Kind.TOMBSTONE || !isLittleBeyond()) {
            return null;
        }
        open = null;
        if (writer != null) {
            seal(writer);
        }
        return next();
    }

    private void closed(Segment segment) {
        used.addAndGet(-segment.bytes());
        if (segment.isRemoved()) {
            leaving.addAndGet(-segment.bytes());
        }
    }

    /** The oldest segments, as many as have to go so that another fits. */
    private Deque<Segment> victims() {
        Deque<Segment> victims = new ArrayDeque<>();
        if (!recovered) {
            return victims;
        }
        long freed = 0;
        synchronized (sealed) {
            while (used.get() - freed > capacity && !sealed.isEmpty()) {
                Segment oldest = sealed.removeFirst();
                freed += oldest.bytes();
                victims.addLast(oldest);
            }
        }
        return victims;
    }

    private void putBack(Deque<Segment> victims) {
        synchronized (sealed) {
            while (!victims.isEmpty()) {
                sealed.addFirst(victims.removeLast());
            }
        }
    }

    /** Makes room in the index. */
    private boolean evictOldest() {
        Segment oldest = pollOldest();
        if (oldest == null) {
            return false;
        }
        Deque<Segment> victims = new ArrayDeque<>(List.of(oldest));
        try {
            evict(oldest, 0);
            victims.clear();
            return true;
        } catch (IOException e) {
            parts.recorder().diskError();
            log.warn("No segment of {} can be let go: {}", folder, e.toString());
            return false;
        } finally {
            putBack(victims);
        }
    }

    /**
     * Lets the oldest segment go with all that is in it, so that its disk has room again.
     *
     * @return whether there was one
     */
    boolean dropOldest() {
        Segment oldest = pollOldest();
        if (oldest == null) {
            return false;
        }
        survivors.drop(oldest);
        remove(oldest, 0);
        return true;
    }

    private @Nullable Segment pollOldest() {
        synchronized (sealed) {
            return recovered ? sealed.pollFirst() : null;
        }
    }

    private long evict(Segment victim, long maxBytes) throws IOException {
        long kept = survivors.move(victim, this::roomFor, maxBytes);
        remove(victim, kept);
        return kept;
    }

    private void remove(Segment victim, long kept) {
        parts.recorder().evicted(victim.bytes(), kept);
        parts.segments().remove(victim);
        leaving.addAndGet(victim.bytes());
        victim.remove();
    }

    /** On another thread: the writer goes on meanwhile. */
    private void forceSoon(SegmentWriter writer) {
        writer.forced();
        Segment segment = writer.segment();
        if (!segment.acquire()) {
            return;
        }
        home.reads().execute(() -> {
            try {
                segment.file().force(false);
            } catch (IOException e) {
                parts.recorder().diskError();
                log.warn("Segment {} of {} cannot be forced to its disk: {}", segment.number(), folder, e.toString());
            } finally {
                segment.release();
            }
        });
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
        long bytes = sizeOf(segment);
        used.addAndGet(bytes - segment.bytes());
        segment.bytes(bytes);
        synchronized (sealed) {
            sealed.addLast(segment);
        }
    }

    private static long sizeOf(Segment segment) {
        try {
            return segment.file().size();
        } catch (IOException e) {
            return segment.bytes();
        }
    }
}
