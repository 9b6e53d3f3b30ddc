package io.millrace.cache.eviction;

import io.millrace.cache.eviction.Residents.Resident;
import io.millrace.cache.index.Fingerprint;
import java.util.ArrayList;
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
public final class Share {
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

    /** So many that should stay are passed over for one that comes. */
    private static final int MOST_KEPT = 64;

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
    public Share(LongSupplier most, LongSupplier used, EvictionPolicy policy) {
        this.most = most;
        this.used = used;
        this.policy = policy;
    }

    /** What its own are to whoever stores them. */
    public interface Own {
        /** Whether something cached is one of them. */
        boolean has(Resident resident);

        /** Whether it should stay if there is another that can go; true if that is not known. May wait for a disk. */
        boolean isKept(Fingerprint key);

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
    public boolean admits(Fingerprint key, int bytes, Residents residents, Predicate<Resident> own) {
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
    public void stored(Fingerprint key, Residents residents, Own own) {
        shrink(key, residents, own);
        add(key);
    }

    private void shrink(Fingerprint stored, Residents residents, Own own) {
        if (isOver()) {
            lookAround(residents, own);
        }
        List<Fingerprint> kept = new ArrayList<>();
        for (int gone = 0; gone < MOST_GONE && kept.size() < MOST_KEPT && isOver(); ) {
            Fingerprint least = takeLeast(stored);
            if (least == null) {
                break;
            }
            if (own.isKept(least)) {
                kept.add(least);
            } else if (own.takeOut(least)) {
                gone++;
            }
        }
        for (Fingerprint one : kept) {
            if (!isOver() || !own.takeOut(one)) {
                add(one);
            }
        }
    }

    private boolean isOver() {
        return used.getAsLong() > most();
    }

    private synchronized void add(Fingerprint key) {
        known.remove(key);
        makeRoom();
        known.add(key);
    }

    private void makeRoom() {
        if (known.size() == SAMPLE) {
            known.remove((int) Long.remainderUnsigned(next(), SAMPLE));
        }
    }

    private void lookAround(Residents residents, Own own) {
        look(residents, own::has);
        for (int turn = 1; turn < MOST_TURNS && areFew(); turn++) {
            look(residents, own::has);
        }
    }

    private synchronized boolean areFew() {
        return known.size() < FEW;
    }

    /**
     * The least that is known and not this one. Of several the first: what is prefetched is not to go for the next of it, as long as
     * something else is known.
     */
    private synchronized @Nullable Fingerprint takeLeast(Fingerprint but) {
        int least = -1;
        int worth = EvictionPolicy.MOST_WORTH + 1;
        for (int i = 0; i < known.size(); i++) {
            int own = policy.worth(known.get(i));
            if (own < worth && !known.get(i).equals(but)) {
                least = i;
                worth = own;
            }
        }
        return least < 0 ? null : known.remove(least);
    }

    private synchronized int bar(Residents residents, Predicate<Resident> own) {
        look(residents, own);
        if (known.isEmpty()) {
            // Nothing is known that could go for it.
            return EvictionPolicy.MOST_WORTH;
        }
        int[] worth = known.stream().mapToInt(policy::worth).sorted().toArray();
        return worth[(int) (LEAST * worth.length)];
    }

    private synchronized void look(Residents residents, Predicate<Resident> own) {
        int looks = areFew() ? LOOKS_FOR_FEW : LOOKS;
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
