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
 * Holds some of what is cached, its <em>own</em>, to a number of bytes. As long as there is less, it changes nothing. Then something new has
 * to be read clearly more often than the least three tenths of its own, and when it is stored the least of these goes.
 *
 * <p>Its own are known by a sample: what was stored lately, and what chance shows among all that is cached. A few kilobytes for a
 * share. Safe for use by any number of threads; {@link #stored} asks its caller what stays, and has it taken out, while it holds no lock.
 */
public final class QuotaController {
    /**
     * So much of a segment is copied when one goes for what has used its share up, 0 to 1: nearly all, for others shall not go for it, and not
     * quite, so that a byte of it costs ten at most.
     */
    public static final double SPARED = 0.9;

    /** Of its own that are known. */
    private static final int SAMPLE = 256;

    /** With so few more are looked for. */
    private static final int FEW = 32;

    /** Looks into the index with each question: they lead to as many of its own as its part of the cache is. */
    private static final int LOOKS = 32;

    private static final int LOOKS_FOR_FEW = 512;

    /** The same so often where one of them has to go: a small share is met, and any in an index that is nearly empty. */
    private static final int MOST_TURNS = 16;

    /** So many go at most for one that comes: a share that was made smaller is reached step by step. */
    private static final int MOST_GONE = 64;

    /** So many go at most for a look around where many have to. */
    private static final int MOST_TRIMMED = 16;

    /** The part of its own that counts as the least of it, as for the cache as a whole. */
    private static final double LEAST = 0.3;

    /** A 16th more or less of the share is there while some are being replaced. */
    private static final int SLACK = 16;

    private final LongSupplier most;
    private final LongSupplier used;
    private final EvictionPolicy policy;

    /** Of its own, each once: in front what chance has shown, behind it what was stored, in order. */
    private final List<Fingerprint> known = new ArrayList<>(SAMPLE);

    private long chance;

    /**
     * @param most bytes that its own may be
     * @param used bytes that they are
     */
    public QuotaController(LongSupplier most, LongSupplier used, EvictionPolicy policy) {
        this.most = most;
        this.used = used;
        this.policy = policy;
    }

    /** Whether one of its own should stay, in the order in which they go. */
    public enum Retention {
        NO,
        /** As where a look would take too long. */
        UNKNOWN,
        YES
    }

    /** What its own are to whoever stores them. */
    public interface Own {
        /** Whether something cached is one of them. */
        boolean has(Resident resident);

        /** Whether it should stay if there is another that can go. May wait for a disk. */
        Retention kept(Fingerprint key);

        /** Takes it out of the cache; false if it is not there any more. */
        boolean takeOut(Fingerprint key);
    }

    /** Bytes that its own may be. */
    public long most() {
        return most.getAsLong();
    }

    /** Whether there is so much more than it may be that nothing of it is worth being copied. */
    public boolean isFarOver() {
        long limit = most();
        return used.getAsLong() > limit + limit / SLACK;
    }

    /** Whether something new of its own, of so many bytes, is worth its place. The read that it came for has been counted. */
    public boolean admits(Fingerprint key, int bytes, IndexSampler residents, Predicate<Resident> own) {
        return !isUsedUp(bytes) || policy.replaces(key, bar(residents, own));
    }

    /** Whether there is no room for so many bytes more. */
    public boolean isUsedUp(int bytes) {
        return used.getAsLong() + bytes > most();
    }

    /** Whether what comes will be in the place of its own, or may: heads come beside blocks. */
    public boolean isNearlyUsedUp() {
        long limit = most();
        return used.getAsLong() > limit - limit / SLACK;
    }

    /**
     * Something of its own is in the cache now: if that is too much, the least of the others goes. It stays itself, also where no other is
     * found, as may be behind a start: then the next finds this one.
     *
     * @param residents among which others are looked for
     */
    public void stored(Fingerprint key, IndexSampler residents, Own own) {
        if (isOver()) {
            lookAround(residents, own);
            int unused = shrink(key, MOST_GONE, own);
        }
        add(key);
    }

    /**
     * Some of the least of its own goes, if there is too much.
     *
     * @return whether there is still, and more was found than that
     */
    public boolean trim(IndexSampler residents, Own own) {
        if (!isOver()) {
            return false;
        }
        lookAroundForMany(residents, own);
        return shrink(null, fewOfThoseKnown(), own) > 0 && isOver();
    }

    /** Returns how many have gone. */
    private int shrink(@Nullable Fingerprint stored, int most, Own own) {
        List<Fingerprint> unknown = new ArrayList<>();
        List<Fingerprint> kept = new ArrayList<>();
        int left = takeOut(leastFirst(stored), most, one -> isToGo(one, own, unknown, kept), own);
        left = takeOut(unknown, left, one -> true, own);
        return most - takeOut(kept, left, one -> true, own);
    }

    /** Remembers what is not. */
    private boolean isToGo(Fingerprint key, Own own, List<Fingerprint> unknown, List<Fingerprint> kept) {
        Retention stays = own.kept(key);
        if (stays == Retention.UNKNOWN) {
            unknown.add(key);
        } else if (stays == Retention.YES) {
            kept.add(key);
            // Others of its worth are looked at before it the next time.
            add(key);
        }
        return stays == Retention.NO;
    }

    /** Until there is not too much, or {@code most} have gone; returns how many more may go. */
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
        known.remove(key);
        makeRoom();
        known.add(key);
    }

    private synchronized void forget(Fingerprint key) {
        known.remove(key);
    }

    private void makeRoom() {
        if (known.size() == SAMPLE) {
            known.remove((int) Long.remainderUnsigned(next(), SAMPLE));
        }
    }

    private void lookAround(IndexSampler residents, Own own) {
        look(residents, own::has);
        for (int turn = 1; turn < MOST_TURNS && areFew(); turn++) {
            look(residents, own::has);
        }
    }

    private void lookAroundForMany(IndexSampler residents, Own own) {
        for (int turn = 0; turn < MOST_TURNS && areFewerThan(SAMPLE / 2); turn++) {
            look(LOOKS_FOR_FEW, residents, own::has);
        }
    }

    /** So that what goes is the least of all, about. */
    private synchronized int fewOfThoseKnown() {
        return Math.max(1, Math.min(MOST_TRIMMED, (int) (LEAST * known.size())));
    }

    private synchronized boolean areFewerThan(int number) {
        return known.size() < number;
    }

    private synchronized boolean areFew() {
        return areFewerThan(FEW);
    }

    /**
     * What is known but this one, the least first. Of several worth the same in their order: what is prefetched is not to go for the
     * next of it, as long as something else is known.
     */
    private synchronized List<Fingerprint> leastFirst(@Nullable Fingerprint but) {
        long[] byWorth = new long[known.size()];
        for (int i = 0; i < byWorth.length; i++) {
            byWorth[i] = (long) policy.worth(known.get(i)) << Integer.SIZE | i;
        }
        Arrays.sort(byWorth);
        List<Fingerprint> sorted = new ArrayList<>(byWorth.length);
        for (long one : byWorth) {
            sorted.add(known.get((int) one));
        }
        if (but != null) {
            sorted.remove(but);
        }
        return sorted;
    }

    private synchronized int bar(IndexSampler residents, Predicate<Resident> own) {
        look(residents, own);
        if (known.isEmpty()) {
            // Nothing is known that could go for it.
            return EvictionPolicy.MOST_WORTH;
        }
        int[] worth = known.stream().mapToInt(policy::worth).sorted().toArray();
        return worth[(int) (LEAST * worth.length)];
    }

    private synchronized void look(IndexSampler residents, Predicate<Resident> own) {
        look(areFew() ? LOOKS_FOR_FEW : LOOKS, residents, own);
    }

    private synchronized void look(int looks, IndexSampler residents, Predicate<Resident> own) {
        for (int i = 0; i < looks; i++) {
            Resident resident = residents.any(next());
            if (resident != null && own.test(resident) && !known.contains(resident.key())) {
                makeRoom();
                known.add(0, resident.key());
            }
        }
    }

    private long next() {
        return FrequencyPolicy.mixed(chance++);
    }
}
