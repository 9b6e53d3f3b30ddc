package io.millrace.gateway.cluster;

import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.OwnershipHash;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The machines from which some objects were relayed to this home within an hour. They tell whether each object is read
 * through one member only, as behind a balancer that hashes paths. Then {@code placement: shared} costs a relay for
 * most reads, and saves nothing.
 *
 * <p>Of a home's own reads nothing is known here: with fewer than two other members that relay, nothing is said. Of
 * objects that are read once an hour, or from a copy, neither. Thread-safe; never blocks. Two that come at the same
 * time may count as one.
 */
final class RelayOrigins {
    /** What the log and operators are told. */
    static final String ADVICE = "Each object is read through the same member every time, as behind a balancer that"
            + " hashes paths, so that most reads are relayed to a home for nothing: write cluster.placement: balancer"
            + " at all members and reload them, or let the balancer give requests to members in turn.";

    /** Each has one object, the first that came, for {@link #REMEMBERED}. */
    static final int SLOTS = 1024;

    private static final Duration REMEMBERED = Duration.ofHours(1);

    /** Relays of an object that are nearer to each other may be of one reader, whose connection goes to one member. */
    private static final Duration APART = Duration.ofMinutes(1);

    /** Of three members that get requests in turn half of a hundred would come from elsewhere the second time. */
    private static final Bounds NOTICED = new Bounds(100, 5, 80);

    /** What was noticed lasts within these, so that a share about a bound does not begin and end it again and again. */
    private static final Bounds LASTING = new Bounds(50, 10, 90);

    private static final Logger log = LoggerFactory.getLogger(RelayOrigins.class);

    private final PeerClock clock;
    private final AtomicReferenceArray<@Nullable Origin> slots = new AtomicReferenceArray<>(SLOTS);
    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile boolean noticed;

    /**
     * Within what objects count as relayed by one machine each.
     *
     * @param leastObjects that came again
     * @param mostPercentElsewhere of these, from another machine
     * @param mostPercentOfOne of those from the same, from one machine: if hardly any other relays, all come from it
     */
    private record Bounds(int leastObjects, int mostPercentElsewhere, int mostPercentOfOne) {
        boolean have(int same, int fromAnother, int ofOne) {
            int objects = same + fromAnother;
            return objects >= leastObjects
                    && fromAnother * 100 <= objects * mostPercentElsewhere
                    && ofOne * 100 <= same * mostPercentOfOne;
        }
    }

    /** The further relays of an object after the first. */
    private enum Further {
        NONE,
        FROM_THE_SAME,
        FROM_ANOTHER
    }

    /**
     * An object and where it was relayed from.
     *
     * @param object its number
     * @param machine the first one that has relayed it
     * @param at when that was, by the clock
     */
    private record Origin(long object, String machine, long at, Further further) {}

    RelayOrigins(PeerClock clock) {
        this.clock = clock;
    }

    /**
     * Notes that another member has relayed a read; warns in the log, once, if each object comes from the same one
     * every time. A read of what is held here says nothing: those of an object come from its home, whatever balances.
     *
     * @param machine the address of that member, without the port
     */
    void note(RelayedRead read, String machine) {
        if (!read.held()) {
            note(read.id(), machine);
        }
    }

    private void note(ObjectId id, String machine) {
        long object = OwnershipHash.of(id.backend(), id.object());
        int slot = (int) (object & (SLOTS - 1));
        long now = clock.nanoTime();
        Origin known = slots.get(slot);
        if (known == null || !isRemembered(known, now)) {
            slots.set(slot, new Origin(object, machine, now, Further.NONE));
        } else if (known.object() == object) {
            Further further = further(known, machine, now);
            if (further != known.further()) {
                slots.set(slot, new Origin(object, known.machine(), known.at(), further));
                judge(now);
            }
        }
    }

    private static boolean isRemembered(Origin origin, long now) {
        return now - origin.at() < REMEMBERED.toNanos();
    }

    private static Further further(Origin known, String machine, long now) {
        if (!known.machine().equals(machine)) {
            return Further.FROM_ANOTHER;
        }
        return known.further() == Further.NONE && now - known.at() >= APART.toNanos()
                ? Further.FROM_THE_SAME
                : known.further();
    }

    private void judge(long now) {
        if (!warned.get() && isEachOfOne(now) && !warned.getAndSet(true)) {
            log.warn("cluster.placement is shared, and of no use. {}", ADVICE);
        }
    }

    /**
     * Returns whether each object is relayed by one machine only, and different ones by different machines; of what was
     * so when somebody looked last also if that holds less well now.
     */
    boolean isEachOfOne() {
        return isEachOfOne(clock.nanoTime());
    }

    private boolean isEachOfOne(long now) {
        int fromAnother = 0;
        Map<String, Integer> fromTheSame = new HashMap<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            Origin origin = slots.get(slot);
            if (origin != null && isRemembered(origin, now)) {
                if (origin.further() == Further.FROM_ANOTHER) {
                    fromAnother++;
                } else if (origin.further() == Further.FROM_THE_SAME) {
                    fromTheSame.merge(origin.machine(), 1, Integer::sum);
                }
            }
        }
        Collection<Integer> counts = fromTheSame.values();
        int same = counts.stream().mapToInt(Integer::intValue).sum();
        int most = counts.stream().mapToInt(Integer::intValue).max().orElse(0);
        noticed = (noticed ? LASTING : NOTICED).have(same, fromAnother, most);
        return noticed;
    }
}
