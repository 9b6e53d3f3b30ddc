package io.millrace.cache.disk;

import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.monitor.EvictionReason;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The completed (sealed) segment files of one disk, oldest first; evicts the oldest when space is needed. Blocks worth
 * keeping are copied before. {@link #adopt}, {@link #recovered} may be called by any thread, the rest only by the
 * disk's writer.
 */
final class SealedSegments {
    private final DiskSpace space;
    private final SegmentTable open;
    private final SegmentEvictor evictor;
    private final CacheEventListener recorder;
    private final Deque<Segment> oldestFirst = new ArrayDeque<>();
    private volatile boolean recovered;
    private boolean released;

    /** @param open segments of all disks */
    SealedSegments(DiskSpace space, SegmentTable open, SegmentEvictor evictor, CacheEventListener recorder) {
        this.space = space;
        this.open = open;
        this.evictor = evictor;
        this.recorder = recorder;
    }

    /**
     * Permits eviction, because all disks are recovered. Earlier eviction might remove the current record of a block
     * and leave an older one to be found.
     */
    void recovered() {
        recovered = true;
    }

    boolean isRecovered() {
        return recovered;
    }

    /** Returns the number of segments. */
    int count() {
        synchronized (oldestFirst) {
            return oldestFirst.size();
        }
    }

    /** Returns all segments, oldest first. */
    List<Segment> all() {
        synchronized (oldestFirst) {
            return List.copyOf(oldestFirst);
        }
    }

    /**
     * Takes over a segment of an earlier run; newer ones come first.
     *
     * @return false if the disk was lost meanwhile: the segment is released then
     */
    boolean adopt(Segment segment) {
        space.take(segment.bytes());
        synchronized (oldestFirst) {
            if (!released) {
                open.add(segment);
                oldestFirst.addFirst(segment);
                return true;
            }
        }
        segment.release();
        return false;
    }

    /** Adds the newest segment. */
    void add(Segment newest) {
        synchronized (oldestFirst) {
            oldestFirst.addLast(newest);
        }
    }

    /**
     * Evicts the oldest segments until the rest is within the limit.
     *
     * @param into provides room for copies
     * @param maxBytes bytes to copy at most, besides pinned records
     * @param sparing whether records of little worth are copied too, the best first
     * @throws IOException if writing failed: records that were not copied are where they were
     */
    void shrink(SegmentEvictor.Room into, long maxBytes, boolean sparing) throws IOException {
        evict(EvictionReason.CAPACITY, victims(space.used() - space.limit()), into, maxBytes, sparing);
    }

    /**
     * Evicts the oldest segment for room in the index.
     *
     * @param maxBytes as in {@link #shrink}
     * @return whether there was one
     */
    boolean shrinkByOne(SegmentEvictor.Room into, long maxBytes) throws IOException {
        Segment oldest = pollOldest();
        if (oldest == null) {
            return false;
        }
        evict(EvictionReason.INDEX_MEMORY, new ArrayDeque<>(List.of(oldest)), into, maxBytes, false);
        return true;
    }

    /** Removes the oldest segments without copying, because there is no room for copies. */
    void drop(long bytes) {
        Deque<Segment> victims = victims(bytes);
        victims.forEach(this::drop);
    }

    /**
     * Releases all segments without deleting their files, and refuses later ones. Readers keep their references.
     *
     * @return whether there were any
     */
    boolean release() {
        synchronized (oldestFirst) {
            released = true;
            boolean any = !oldestFirst.isEmpty();
            oldestFirst.forEach(segment -> {
                open.remove(segment);
                segment.release();
            });
            oldestFirst.clear();
            return any;
        }
    }

    /** Takes the oldest segments that free so many bytes. */
    private Deque<Segment> victims(long bytes) {
        Deque<Segment> victims = new ArrayDeque<>();
        long freed = 0;
        while (freed < bytes) {
            Segment oldest = pollOldest();
            if (oldest == null) {
                break;
            }
            freed += oldest.bytes();
            victims.addLast(oldest);
        }
        return victims;
    }

    private @Nullable Segment pollOldest() {
        synchronized (oldestFirst) {
            return recovered ? oldestFirst.pollFirst() : null;
        }
    }

    private void evict(
            EvictionReason reason, Deque<Segment> victims, SegmentEvictor.Room into, long maxBytes, boolean sparing)
            throws IOException {
        long most = maxBytes;
        try {
            for (Segment victim = victims.peek(); victim != null; victim = victims.peek()) {
                long copied = evictor.move(victim, into, most, sparing);
                remove(reason, victim, copied);
                most -= copied;
                victims.remove();
            }
        } finally {
            putBack(victims);
        }
    }

    private void putBack(Deque<Segment> victims) {
        synchronized (oldestFirst) {
            while (!victims.isEmpty()) {
                oldestFirst.addFirst(victims.removeLast());
            }
        }
    }

    private void drop(Segment victim) {
        evictor.drop(victim);
        remove(EvictionReason.NO_ROOM, victim, 0);
    }

    private void remove(EvictionReason reason, Segment victim, long copied) {
        recorder.evicted(reason, victim.bytes(), copied);
        open.remove(victim);
        evictor.gone(victim);
        space.leaves(victim.bytes());
        victim.remove();
    }
}
