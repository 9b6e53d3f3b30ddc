package io.millrace.cache.eviction;

import io.millrace.cache.eviction.Residents.Resident;
import io.millrace.cache.index.Fingerprint;
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
 * share. Safe for use by any number of threads; {@link #stored} asks its caller while it holds no lock.
 */
public final class Share {
    /** Of its own that are known. */
    private static final int SAMPLE = 256;

    /** With so few more are looked for. */
    private static final int FEW = 32;

    /** Looks into the index with each question: they lead to as many of its own as its part of the cache is. */
    private static final int LOOKS = 32;

    private static final int LOOKS_FOR_FEW = 512;

    /** So many go at most for one that comes: a share that was made smaller is reached step by step. */
    private static final int MOST_GONE = 64;

    /** So many that should stay are passed over: each is a read of a disk. */
    private static final int MOST_KEPT = 16;

    /** The part of its own that counts as the least of it, as for the cache as a whole. */
    private static final double LEAST = 0.3;

    /** A 16th more or less of the share is there while some are being replaced. */
    private static final int SLACK = 16;

    private final LongSupplier most;
    private final LongSupplier used;
    private final EvictionPolicy policy;
    private final Fingerprint[] sample = new Fingerprint[SAMPLE];
    private int known;
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
        /** Whether it should stay if there is another that can go. May wait for a disk. */
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

    /** Something of its own is in the cache now: if that is too much, the least goes. */
    public void stored(Fingerprint key, Own own) {
        shrink(own);
        add(key);
        // It may be that nothing else was known.
        shrink(own);
    }

    private void shrink(Own own) {
        List<Fingerprint> kept = new ArrayList<>();
        for (int gone = 0; gone < MOST_GONE && kept.size() < MOST_KEPT && isOver(); ) {
            Fingerprint least = takeLeast();
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
        if (known < SAMPLE) {
            sample[known++] = key;
        } else {
            sample[(int) Long.remainderUnsigned(next(), SAMPLE)] = key;
        }
    }

    private synchronized @Nullable Fingerprint takeLeast() {
        if (known == 0) {
            return null;
        }
        int least = 0;
        for (int i = 1; i < known; i++) {
            least = policy.worth(sample[i]) < policy.worth(sample[least]) ? i : least;
        }
        Fingerprint taken = sample[least];
        sample[least] = sample[--known];
        return taken;
    }

    private synchronized int bar(Residents residents, Predicate<Resident> own) {
        int looks = known < FEW ? LOOKS_FOR_FEW : LOOKS;
        for (int i = 0; i < looks; i++) {
            Resident resident = residents.any(next());
            if (resident != null && own.test(resident)) {
                add(resident.key());
            }
        }
        if (known == 0) {
            // Nothing is known that could go for it.
            return EvictionPolicy.MOST_WORTH;
        }
        int[] worth = new int[known];
        for (int i = 0; i < known; i++) {
            worth[i] = policy.worth(sample[i]);
        }
        Arrays.sort(worth);
        return worth[(int) (LEAST * known)];
    }

    private long next() {
        return FrequencyPolicy.mixed(chance++);
    }
}
