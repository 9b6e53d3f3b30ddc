package io.millrace.cache.eviction;

import io.millrace.cache.eviction.EvictionPolicy.Space;
import io.millrace.cache.index.Fingerprint;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a store does on a disk, without the disk: segments that are filled one after another, of which the oldest goes, and what of it a
 * policy wants is copied. For one thread.
 */
final class SegmentModel implements Residents {
    private final EvictionPolicy policy;
    private final long segmentBytes;
    private final int mostSegments;
    private final Map<Fingerprint, Cached> cached = new HashMap<>();

    /** The same, so that one can be taken by chance. */
    private final List<Cached> all = new ArrayList<>();

    private final Deque<List<Cached>> sealed = new ArrayDeque<>();
    private List<Cached> open = new ArrayList<>();
    private long openBytes;
    private long written;

    private static final class Cached {
        final Fingerprint key;
        final int bytes;
        int at;

        Cached(Fingerprint key, int bytes) {
            this.key = key;
            this.bytes = bytes;
        }
    }

    /**
     * @param segmentBytes of each segment
     * @param segments how many there may be, the open one included
     */
    SegmentModel(EvictionPolicy policy, long segmentBytes, int segments) {
        this.policy = policy;
        this.segmentBytes = segmentBytes;
        this.mostSegments = segments;
    }

    /** Reads a thing, and stores it if it is not there and is worth it; whether it was there. */
    boolean read(Fingerprint key, int bytes) {
        policy.used(key);
        if (cached.containsKey(key)) {
            return true;
        }
        if (policy.admits(key, space(bytes), this)) {
            while (!open.isEmpty() && openBytes + bytes > segmentBytes) {
                roll();
            }
            put(new Cached(key, bytes));
        }
        return false;
    }

    /** Bytes that were written, copies too. */
    long written() {
        return written;
    }

    @Override
    public long count() {
        return all.size();
    }

    @Override
    public @Nullable Resident any(long random) {
        if (all.isEmpty()) {
            return null;
        }
        Cached one = all.get((int) Long.remainderUnsigned(random, all.size()));
        return new Resident(one.key, one.bytes);
    }

    private Space space(int bytes) {
        if (sealed.size() + 1 < mostSegments) {
            return Space.FREE;
        }
        return openBytes + bytes <= segmentBytes ? Space.LEFT : Space.NONE;
    }

    private void roll() {
        sealed.addLast(open);
        open = new ArrayList<>();
        openBytes = 0;
        if (sealed.size() == mostSegments) {
            evict(sealed.removeFirst());
        }
    }

    private void evict(List<Cached> victim) {
        long[] live = new long[EvictionPolicy.MOST_WORTH + 1];
        for (Cached one : victim) {
            live[policy.worth(one.key)] += one.bytes;
        }
        long most = (long) (segmentBytes * policy.copiedShare());
        Selection worthIt = policy.select(live, most, this);
        long moved = 0;
        for (Cached one : victim) {
            boolean kept = moved + one.bytes <= most && worthIt.takes(policy.worth(one.key), one.bytes);
            takeOut(one);
            if (kept) {
                put(one);
                moved += one.bytes;
            }
        }
    }

    private void put(Cached one) {
        open.add(one);
        openBytes += one.bytes;
        written += one.bytes;
        one.at = all.size();
        all.add(one);
        cached.put(one.key, one);
    }

    private void takeOut(Cached one) {
        Cached last = all.remove(all.size() - 1);
        if (last != one) {
            all.set(one.at, last);
            last.at = one.at;
        }
        cached.remove(one.key);
    }
}
