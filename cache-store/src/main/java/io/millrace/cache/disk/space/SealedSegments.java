package io.millrace.cache.disk.space;

import io.millrace.cache.disk.segment.Segment;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The segments of one disk that are written, oldest first. When room is wanted the oldest goes, and what of it is worth keeping
 * is copied before. {@link #adopt}, {@link #recovered} and {@link #dropOldest} may be called by any thread, the rest only by the
 * disk's writer.
 */
public final class SealedSegments {
    private final DiskSpace room;
    private final SharedStoreState parts;
    private final CopyForward survivors;
    private final Deque<Segment> oldestFirst = new ArrayDeque<>();
    private volatile boolean recovered;
    private boolean released;

    public SealedSegments(DiskSpace room, SharedStoreState parts) {
        this.room = room;
        this.parts = parts;
        this.survivors = new CopyForward(parts, () -> (long) (room.limit() * PinnedRecords.SHARE));
    }

    /**
     * All that earlier runs left is known. Not before may anything go: an older record of a key might be found after the one
     * that counts has left.
     */
    public void recovered() {
        recovered = true;
    }

    public boolean isRecovered() {
        return recovered;
    }

    /** How many there are. */
    public int count() {
        synchronized (oldestFirst) {
            return oldestFirst.size();
        }
    }

    /** All of them, oldest first. */
    public List<Segment> all() {
        synchronized (oldestFirst) {
            return List.copyOf(oldestFirst);
        }
    }

    /**
     * Takes a file of an earlier run in, the newer ones first.
     *
     * @return false if the disk was lost meanwhile: it is let go of then
     */
    public boolean adopt(Segment segment) {
        room.take(segment.bytes());
        synchronized (oldestFirst) {
            if (!released) {
                parts.segments().add(segment);
                oldestFirst.addFirst(segment);
                return true;
            }
        }
        segment.release();
        return false;
    }

    /** The segment that was written last. */
    public void add(Segment newest) {
        synchronized (oldestFirst) {
            oldestFirst.addLast(newest);
        }
    }

    /**
     * Lets the oldest go until what is left is within the limit.
     *
     * @param into where survivors go
     * @param maxBytes how much of what is worth keeping is copied, besides what must stay
     * @param sparing whether what is worth little is copied too, the best first
     * @throws IOException if writing failed: what was not moved yet is where it was
     */
    public void shrink(CopyForward.Room into, long maxBytes, boolean sparing) throws IOException {
        evict(victims(room.used() - room.limit()), into, maxBytes, sparing);
    }

    /**
     * Lets the oldest go for room in the index.
     *
     * @param maxBytes as {@link #shrink} has it
     * @return whether there was one
     */
    public boolean shrinkByOne(CopyForward.Room into, long maxBytes) throws IOException {
        Segment oldest = pollOldest();
        if (oldest == null) {
            return false;
        }
        evict(new ArrayDeque<>(List.of(oldest)), into, maxBytes, false);
        return true;
    }

    /** Lets the oldest go with all that is in them, since there is no room to copy anything. */
    public void drop(long bytes) {
        Deque<Segment> victims = victims(bytes);
        victims.forEach(this::drop);
    }

    /**
     * The same for one.
     *
     * @return whether there was one
     */
    boolean dropOldest() {
        Segment oldest = pollOldest();
        if (oldest == null) {
            return false;
        }
        drop(oldest);
        return true;
    }

    /**
     * Lets go of all of them, not of their files, and of what would be adopted later; who still reads one holds it.
     *
     * @return whether there were any
     */
    public boolean release() {
        synchronized (oldestFirst) {
            released = true;
            boolean any = !oldestFirst.isEmpty();
            oldestFirst.forEach(segment -> {
                parts.segments().remove(segment);
                segment.release();
            });
            oldestFirst.clear();
            return any;
        }
    }

    /** As many as have to go so that so much is free. */
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

    private void evict(Deque<Segment> victims, CopyForward.Room into, long maxBytes, boolean sparing)
            throws IOException {
        long most = maxBytes;
        try {
            for (Segment victim = victims.peek(); victim != null; victim = victims.peek()) {
                long kept = survivors.move(victim, into, most, sparing);
                remove(victim, kept);
                most -= kept;
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
        survivors.drop(victim);
        remove(victim, 0);
    }

    private void remove(Segment victim, long kept) {
        parts.recorder().evicted(victim.bytes(), kept);
        parts.segments().remove(victim);
        survivors.gone(victim);
        room.leaves(victim.bytes());
        victim.remove();
    }
}
