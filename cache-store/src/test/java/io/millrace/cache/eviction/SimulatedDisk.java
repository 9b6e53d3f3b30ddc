package io.millrace.cache.eviction;

import io.millrace.cache.eviction.AdmissionAndEvictionPolicy.Space;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexSampler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Simulates a store on a disk without I/O: segments are filled one after another, the oldest is evicted, and what the
 * policy wants of it is copied. For one thread.
 */
final class SimulatedDisk implements IndexSampler {
    private final AdmissionAndEvictionPolicy policy;
    private final long segmentBytes;
    private final int mostSegments;
    private final Map<Fingerprint, Cached> cached = new HashMap<>();

    /** The cached blocks again, as a list to sample from. */
    private final List<Cached> all = new ArrayList<>();

    private final Deque<List<Cached>> sealed = new ArrayDeque<>();
    private List<Cached> open = new ArrayList<>();
    private long openBytes;
    private long written;
    private @Nullable Held held;

    /** Blocks that are held to a quota. */
    private static final class Held {
        final Predicate<Fingerprint> which;
        final QuotaController share;
        long bytes;

        Held(Predicate<Fingerprint> which, long most, AdmissionAndEvictionPolicy policy) {
            this.which = which;
            this.share = new QuotaController(() -> most, () -> bytes, policy);
        }
    }

    private static final class Cached {
        final Fingerprint key;
        final int bytes;
        int at;
        boolean gone;

        Cached(Fingerprint key, int bytes) {
            this.key = key;
            this.bytes = bytes;
        }
    }

    /**
     * @param segmentBytes of each segment
     * @param segments maximum, including the open one
     */
    SimulatedDisk(AdmissionAndEvictionPolicy policy, long segmentBytes, int segments) {
        this.policy = policy;
        this.segmentBytes = segmentBytes;
        this.mostSegments = segments;
    }

    /** Holds some of the blocks to a quota in bytes. Called before anything is read. */
    void hold(Predicate<Fingerprint> which, long most) {
        held = new Held(which, most, policy);
    }

    /** Returns the bytes of the blocks with a quota. */
    long heldBytes() {
        return held == null ? 0 : held.bytes;
    }

    /** Reads a block, and stores it if it is missing and admitted; returns whether it was a hit. */
    boolean read(Fingerprint key, int bytes) {
        policy.used(key);
        if (cached.containsKey(key)) {
            return true;
        }
        if (isWithinShare(key, bytes) && policy.admits(key, space(bytes), this)) {
            boolean sparing = held != null && held.which.test(key) && held.share.isUsedUp(bytes);
            while (!open.isEmpty() && openBytes + bytes > segmentBytes) {
                roll(sparing);
            }
            put(new Cached(key, bytes));
            stored(key);
        }
        return false;
    }

    private boolean isWithinShare(Fingerprint key, int bytes) {
        return held == null
                || !held.which.test(key)
                || held.share.admits(key, bytes, this, resident -> resident.group() != 0);
    }

    private void stored(Fingerprint key) {
        if (held != null && held.which.test(key)) {
            held.share.stored(key, this, new QuotaController.Own() {
                @Override
                public boolean has(Resident resident) {
                    return resident.group() != 0;
                }

                @Override
                public QuotaController.Retention retention(Fingerprint one) {
                    return QuotaController.Retention.NO;
                }

                @Override
                public boolean takeOut(Fingerprint one) {
                    Cached there = cached.get(one);
                    if (there != null) {
                        SimulatedDisk.this.takeOut(there);
                    }
                    return there != null;
                }
            });
        }
    }

    /** Returns the bytes written, copies included. */
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
        return new Resident(one.key, one.bytes, held != null && held.which.test(one.key) ? 1 : 0);
    }

    private Space space(int bytes) {
        if (sealed.size() + 1 < mostSegments) {
            return Space.FREE;
        }
        return openBytes + bytes <= segmentBytes ? Space.LEFT : Space.NONE;
    }

    private void roll(boolean sparing) {
        sealed.addLast(open);
        open = new ArrayList<>();
        openBytes = 0;
        if (sealed.size() == mostSegments) {
            evict(sealed.removeFirst(), sparing);
        }
    }

    private void evict(List<Cached> victim, boolean sparing) {
        long[] live = new long[AdmissionAndEvictionPolicy.MOST_WORTH + 1];
        victim.removeIf(one -> one.gone);
        for (Cached one : victim) {
            live[policy.worth(one.key)] += one.bytes;
        }
        long most = (long) (segmentBytes * (sparing ? QuotaController.SPARED : policy.copiedShare()));
        CopyForwardSelector worthIt = sparing ? CopyForwardSelector.best(live, most) : policy.select(live, most, this);
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
        one.gone = false;
        count(one, 1);
    }

    private void count(Cached one, int times) {
        if (held != null && held.which.test(one.key)) {
            held.bytes += (long) times * one.bytes;
        }
    }

    private void takeOut(Cached one) {
        Cached last = all.remove(all.size() - 1);
        if (last != one) {
            all.set(one.at, last);
            last.at = one.at;
        }
        cached.remove(one.key);
        one.gone = true;
        count(one, -1);
    }
}
