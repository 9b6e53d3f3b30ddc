package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segments of one disk, oldest first, and the open one at their end. When they fill the disk's size the oldest goes, what
 * of it is worth keeping is copied to the open one. {@link #used}, {@link #isFull} and {@link #adopt} may be called by any
 * thread, the rest only by the disk's writer.
 */
final class SegmentLog {
    private static final Logger log = LoggerFactory.getLogger(SegmentLog.class);

    /** Dirty bytes that a power cut may take. */
    private static final long FORCE_BYTES = 64L << 20;

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
    private @Nullable SegmentWriter open;

    /** A record that was written, and where. */
    record Placed(Segment segment, Footer.Line line) {}

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
        self[0] = Segment.open(file, number, home, () -> used.addAndGet(-self[0].bytes()));
        return self[0];
    }

    /**
     * Writes records; they are found once they are published.
     *
     * @return their places, in the same order
     */
    List<Placed> append(List<RecordDraft> drafts) throws IOException {
        List<Placed> placed = new ArrayList<>(drafts.size());
        for (RecordDraft draft : drafts) {
            SegmentWriter writer = writerFor(draft);
            placed.add(new Placed(writer.segment(), writer.add(draft)));
        }
        SegmentWriter writer = open;
        if (writer != null) {
            writer.flush();
            if (writer.unforced() >= FORCE_BYTES) {
                forceSoon(writer);
            }
        }
        return placed;
    }

    /** Makes a written record one that is found. */
    boolean publish(Placed placed) {
        Footer.Line line = placed.line();
        Segment segment = placed.segment();
        residency.touch(segment, line.start(), line.recordBytes());
        Newest.Result result = newest.put(line, segment.number());
        while (result == Newest.Result.NO_ROOM && evictOldest()) {
            result = newest.put(line, segment.number());
        }
        return result == Newest.Result.FOUND;
    }

    /** Gives the open segment up after a failure. */
    void abandon() {
        SegmentWriter writer = open;
        open = null;
        if (writer != null) {
            seal(writer);
        }
    }

    /** Ends the open segment. */
    void close() {
        abandon();
    }

    private SegmentWriter writerFor(RecordDraft draft) throws IOException {
        SegmentWriter writer = open;
        if (writer != null && !writer.fits(draft)) {
            writer.flush();
            open = null;
            seal(writer);
            writer = null;
        }
        return writer == null ? roll() : writer;
    }

    /** Opens the next segment, and makes room for it. */
    private SegmentWriter roll() throws IOException {
        List<Segment> victims = victims();
        int number = parts.numbers().incrementAndGet();
        long counted = segmentBytes;
        Segment[] self = new Segment[1];
        self[0] = Segment.create(folder, number, disk, home, () -> used.addAndGet(-self[0].bytes()));
        Segment segment = self[0];
        segment.bytes(counted);
        used.addAndGet(counted);
        parts.segments().add(segment);
        SegmentWriter writer = new SegmentWriter(segment, segmentBytes);
        open = writer;
        for (Segment victim : victims) {
            evict(victim, writer);
        }
        return writer;
    }

    /** The oldest segments, as many as have to go so that another fits. */
    private List<Segment> victims() {
        List<Segment> victims = new ArrayList<>();
        long freed = 0;
        synchronized (sealed) {
            while (used.get() - freed + segmentBytes > capacity && !sealed.isEmpty()) {
                Segment oldest = sealed.removeFirst();
                freed += oldest.bytes();
                victims.add(oldest);
            }
        }
        return victims;
    }

    /** Makes room in the index. */
    private boolean evictOldest() {
        SegmentWriter writer = open;
        @Nullable Segment oldest;
        synchronized (sealed) {
            oldest = sealed.pollFirst();
        }
        if (oldest == null || writer == null) {
            return false;
        }
        evict(oldest, writer);
        return true;
    }

    private void evict(Segment victim, SegmentWriter into) {
        long kept = survivors.move(
                victim, into, (long) (segmentBytes * parts.policy().copiedShare()));
        parts.recorder().evicted(victim.bytes(), kept);
        parts.segments().remove(victim);
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
        long counted = segment.bytes();
        try {
            writer.seal();
            forceSoon(writer);
        } catch (IOException e) {
            // It is found record by record after the next start.
            log.warn("A segment of {} cannot be ended: {}", folder, e.toString());
            segment.bytes(counted);
        }
        used.addAndGet(segment.bytes() - counted);
        synchronized (sealed) {
            sealed.addLast(segment);
        }
    }
}
