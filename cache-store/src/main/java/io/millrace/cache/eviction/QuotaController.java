package io.millrace.cache.eviction;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexSampler;
import io.millrace.cache.index.IndexSampler.Resident;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Limits the cached blocks of one configured group of objects to a quota of bytes. Below the quota it changes nothing.
 * At the quota, a new block must be read clearly more often than the least three tenths of its own, and storing it
 * removes the least of those.
 *
 * <p>Its own are known by a sample: blocks stored lately, and blocks found at random in the cache, a few kilobytes for
 * a quota. Safe for use by any number of threads. {@link #stored} calls its caller, to learn what is pinned and to
 * remove blocks, while it holds no lock.
 */
public final class QuotaController {
    /**
     * Part of a segment that is copied when it is evicted for a group at its quota, 0 to 1: nearly all, so that others
     * are not evicted for it, but not all, so that a stored byte costs ten written ones at most.
     */
    public static final double SPARED = 0.9;

    /** Its own blocks that are known at most. */
    private static final int SAMPLE = 256;

    /** With fewer known blocks, more are looked for. */
    private static final int FEW = 32;

    /** Random looks into the index per question: the part that finds its own is their part of the cache. */
    private static final int DRAWS = 32;

    private static final int DRAWS_FOR_FEW = 512;

    /**
     * Repetitions while few are known and one has to be removed, for a small group or an index that is nearly empty.
     */
    private static final int MOST_TURNS = 16;

    /** Blocks removed for a new one at most: a lowered quota is reached step by step. */
    private static final int MOST_GONE = 64;

    /** Blocks removed per sample at most while many must be removed. */
    private static final int MOST_TRIMMED = 16;

    /** Part of its own that counts as the least, as for the whole cache. */
    private static final double LEAST = 0.3;

    /** Divisor of the quota: the slack above and below it while blocks are replaced. */
    private static final int SLACK = 16;

    private final LongSupplier most;
    private final LongSupplier used;
    private final AdmissionAndEvictionPolicy policy;

    /** Known blocks of its own, each once: those found at random first, then those stored, in order. */
    private final List<Fingerprint> sampled = new ArrayList<>(SAMPLE);

    private long chance;

    /**
     * @param most returns the quota in bytes
     * @param used returns the cached bytes of its own
     */
    public QuotaController(LongSupplier most, LongSupplier used, AdmissionAndEvictionPolicy policy) {
        this.most = most;
        this.used = used;
        this.policy = policy;
    }

    /** The pinning of a block, in the order of removal. */
    public enum Retention {
        NO,
        /** Finding out would take too long. */
        UNKNOWN,
        YES
    }

    /** Gives access to its own blocks; implemented by the store. */
    public interface Own {
        /** Returns whether a cached block is one of them. */
        boolean has(Resident resident);

        /** Returns whether a block is pinned. May wait for a disk. */
        Retention retention(Fingerprint key);

        /** Removes a block from the index; false if it is not there any more. */
        boolean takeOut(Fingerprint key);
    }

    /** Returns the quota in bytes. */
    public long most() {
        return most.getAsLong();
    }

    /** Returns whether the quota is exceeded so far that none of its own is worth a copy. */
    public boolean isFarOver() {
        long limit = most();
        return used.getAsLong() > limit + limit / SLACK;
    }

    /** Returns whether a new block of its own is admitted. The read that it came for has been counted. */
    public boolean admits(Fingerprint key, int bytes, IndexSampler residents, Predicate<Resident> own) {
        // Most are read for the first time, and replace nothing, whatever is known.
        return !isUsedUp(bytes)
                || (policy.replaces(key, 0) && policy.replaces(key, admissionThreshold(residents, own)));
    }

    /** Returns whether there is no room for so many bytes more. */
    public boolean isUsedUp(int bytes) {
        return used.getAsLong() + bytes > most();
    }

    /** Returns whether a new block will probably replace one of its own. */
    public boolean isNearlyUsedUp() {
        long limit = most();
        return used.getAsLong() > limit - limit / SLACK;
    }

    /**
     * Removes the least of its own after a block was stored, if the quota is exceeded. The stored block stays even if
     * no other is found, as may happen after a start; the next one finds it.
     *
     * @param residents the blocks in which others are looked for
     */
    public void stored(Fingerprint key, IndexSampler residents, Own own) {
        if (isOver()) {
            sampleBoth(residents, own);
            int unused = shrink(key, MOST_GONE, own);
        }
        add(key);
    }

    /**
     * Removes some of the least of its own while the quota is exceeded.
     *
     * @return whether the quota is still exceeded and some were removed
     */
    public boolean trim(IndexSampler residents, Own own) {
        if (!isOver()) {
            return false;
        }
        sampleMany(residents, own);
        return shrink(null, mostTrimmed(), own) > 0 && isOver();
    }

    /** Returns the number of blocks removed. */
    private int shrink(@Nullable Fingerprint stored, int most, Own own) {
        List<Fingerprint> unknown = new ArrayList<>();
        List<Fingerprint> pinned = new ArrayList<>();
        int left = takeOut(leastFirst(stored), most, one -> isUnpinned(one, own, unknown, pinned), own);
        left = takeOut(unknown, left, one -> true, own);
        return most - takeOut(pinned, left, one -> true, own);
    }

    /** Returns whether a block is not pinned, and collects the others. */
    private boolean isUnpinned(Fingerprint key, Own own, List<Fingerprint> unknown, List<Fingerprint> pinned) {
        Retention stays = own.retention(key);
        if (stays == Retention.UNKNOWN) {
            unknown.add(key);
        } else if (stays == Retention.YES) {
            pinned.add(key);
            // Others of its worth come before it the next time.
            add(key);
        }
        return stays == Retention.NO;
    }

    /** Removes blocks until the quota is met or {@code most} are removed; returns how many more may be. */
    private int takeOut(List<Fingerprint> keys, int most, Predicate<Fingerprint> goes, Own own) {
        int left = most;
        for (Fingerprint key : keys) {
            if (left == 0 || !isOver()) {
                break;
            }
            if (goes.test(key)) {
                forget(key);
                left -= own.takeOut(key) ? 1 : 0;
            }
        }
        return left;
    }

    private boolean isOver() {
        return used.getAsLong() > most();
    }

    private synchronized void add(Fingerprint key) {
        sampled.remove(key);
        trimSample();
        sampled.add(key);
    }

    private synchronized void forget(Fingerprint key) {
        sampled.remove(key);
    }

    private void trimSample() {
        if (sampled.size() == SAMPLE) {
            sampled.remove((int) Long.remainderUnsigned(next(), SAMPLE));
        }
    }

    private void sampleBoth(IndexSampler residents, Own own) {
        sample(residents, own::has);
        for (int turn = 1; turn < MOST_TURNS && hasFewSamples(); turn++) {
            sample(residents, own::has);
        }
    }

    private void sampleMany(IndexSampler residents, Own own) {
        for (int turn = 0; turn < MOST_TURNS && hasFewerSamplesThan(SAMPLE / 2); turn++) {
            sample(DRAWS_FOR_FEW, residents, own::has);
        }
    }

    /** Limits removal to a part of the known blocks, so that these are about the least of all. */
    private synchronized int mostTrimmed() {
        return Math.max(1, Math.min(MOST_TRIMMED, (int) (LEAST * sampled.size())));
    }

    private synchronized boolean hasFewerSamplesThan(int number) {
        return sampled.size() < number;
    }

    private synchronized boolean hasFewSamples() {
        return hasFewerSamplesThan(FEW);
    }

    /**
     * Returns the known blocks but one, least worth first. Blocks of equal worth keep their order: one prefetched block
     * must not be removed for the next while others are known.
     */
    private synchronized List<Fingerprint> leastFirst(@Nullable Fingerprint but) {
        long[] byWorth = new long[sampled.size()];
        for (int i = 0; i < byWorth.length; i++) {
            byWorth[i] = (long) policy.worth(sampled.get(i)) << Integer.SIZE | i;
        }
        Arrays.sort(byWorth);
        List<Fingerprint> sorted = new ArrayList<>(byWorth.length);
        for (long one : byWorth) {
            sorted.add(sampled.get((int) one));
        }
        if (but != null) {
            sorted.remove(but);
        }
        return sorted;
    }

    private synchronized int admissionThreshold(IndexSampler residents, Predicate<Resident> own) {
        sample(residents, own);
        if (sampled.isEmpty()) {
            // Nothing that could be replaced is known.
            return AdmissionAndEvictionPolicy.MOST_WORTH;
        }
        int[] worth = sampled.stream().mapToInt(policy::worth).sorted().toArray();
        return worth[(int) (LEAST * worth.length)];
    }

    private synchronized void sample(IndexSampler residents, Predicate<Resident> own) {
        sample(hasFewSamples() ? DRAWS_FOR_FEW : DRAWS, residents, own);
    }

    private synchronized void sample(int draws, IndexSampler residents, Predicate<Resident> own) {
        for (int i = 0; i < draws; i++) {
            Resident resident = residents.any(next());
            if (resident != null && own.test(resident) && !sampled.contains(resident.key())) {
                trimSample();
                sampled.add(0, resident.key());
            }
        }
    }

    private long next() {
        return FrequencyPolicy.mixed(chance++);
    }
}
