package io.millrace.backend.resilience;

import io.millrace.kit.share.Party;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the streams of a backend that go as fast as clients do, and so hold a connection as long as those like: reads
 * that bypass the cache, and uploads. An identity gets a further stream while it has fewer than are free; clients
 * without one together while they have fewer than half as many, and one of their addresses fewer than a quarter. So one
 * identity holds half at most. The last sixteenth is for those that have none, one stream for each.
 *
 * <p>If a stream is refused, the one whose client has taken or sent nothing for longest ends in its favour: any for a
 * party that has none, otherwise one of those that the party is counted with. Thread-safe.
 */
final class ClientStreams {
    /** A client that does nothing for this time gives way. */
    static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** The time for which a search for such a client that was in vain is not repeated. */
    private static final long SEARCH_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** The part of all streams that is a reserve for parties without any. */
    static final int RESERVE = 16;

    private final int max;
    private final int reserve;
    private final LongSupplier nanoTime;
    private final Set<ClientStream> open = new HashSet<>();
    private final Map<Object, Share> shares = new HashMap<>();
    private long nextSearch;

    /** The streams that are counted together. */
    private static final class Share {
        private final Map<String, Integer> byName = new HashMap<>();
        private int count;
        private long nextSearch;
    }

    /** @param max the most streams */
    ClientStreams(int max, LongSupplier nanoTime) {
        this.max = max;
        this.reserve = Math.max(1, max / RESERVE);
        this.nanoTime = nanoTime;
        this.nextSearch = nanoTime.getAsLong();
    }

    /** Returns the number of streams. */
    synchronized int size() {
        return open.size();
    }

    /** Adds a stream to these bounds unless it is too many for one of them; others may end for it, but none in vain. */
    static boolean enter(ClientStream stream, List<ClientStreams> bounds) {
        List<ClientStream> stalled = new ArrayList<>();
        boolean entered = bounds.get(0).enter(stream, bounds.subList(1, bounds.size()), stalled);
        if (entered) {
            stalled.forEach(ClientStream::giveWay);
        }
        return entered;
    }

    /** @param further those that have to agree, always in the same order, before anything changes */
    private synchronized boolean enter(ClientStream stream, List<ClientStreams> further, List<ClientStream> stalled) {
        boolean entered = findRoom(stream.party(), stalled)
                && (further.isEmpty() || further.get(0).enter(stream, further.subList(1, further.size()), stalled));
        if (entered) {
            stalled.forEach(this::leave);
            add(stream);
        }
        return entered;
    }

    /**
     * Returns whether one more of this party has room.
     *
     * @param stalled those that end for it, to which another one may be added
     */
    private boolean findRoom(Party party, List<ClientStream> stalled) {
        @Nullable Predicate<ClientStream> inTheWay = inTheWay(party);
        if (inTheWay == null || stalled.stream().filter(open::contains).anyMatch(inTheWay)) {
            return true;
        }
        @Nullable ClientStream found = findStalled(party, inTheWay);
        return found != null && stalled.add(found);
    }

    /** Has a stalled stream give way to one that is counted here and waits for something else that streams hold. */
    void makeWay(Party party) {
        @Nullable ClientStream stalled;
        synchronized (this) {
            @Nullable Share share = shares.get(party.group());
            if (share == null) {
                // Nobody's stream ends for who is not counted here, as jobs are not.
                return;
            }
            stalled = findStalled(party, share.count == 1 ? any -> true : ofGroup(party));
        }
        if (stalled != null) {
            stalled.giveWay();
        }
    }

    private static Predicate<ClientStream> ofGroup(Party party) {
        Object group = party.group();
        return other -> other.party().group().equals(group);
    }

    /** Removes a stream that has ended; does nothing if it is not there. */
    synchronized void leave(ClientStream stream) {
        if (open.contains(stream)) {
            remove(stream);
        }
    }

    /** Returns those of which one would have to end for a stream of this party; null if none has to. */
    private @Nullable Predicate<ClientStream> inTheWay(Party party) {
        int free = max - open.size();
        Object group = party.group();
        @Nullable Share share = shares.get(group);
        if (share == null) {
            return free > 0 ? null : any -> true;
        }
        boolean isAnonymous = party.kind() == Party.Kind.ANONYMOUS;
        if (isAnonymous && 4L * share.byName.getOrDefault(party.name(), 0) >= Math.max(1, free)) {
            return other ->
                    other.party().group().equals(group) && other.party().name().equals(party.name());
        }
        return free > reserve && (isAnonymous ? 2L : 1L) * share.count < free ? null : ofGroup(party);
    }

    /** Returns the one of these that has done nothing for longest, if that is long. */
    private @Nullable ClientStream findStalled(Party party, Predicate<ClientStream> among) {
        long now = nanoTime.getAsLong();
        @Nullable Share share = shares.get(party.group());
        if (now - (share == null ? nextSearch : share.nextSearch) < 0) {
            return null;
        }
        @Nullable ClientStream longest = null;
        long most = STALLED_NANOS;
        for (ClientStream stream : open) {
            long idle = stream.idleNanos(now);
            if (idle >= most && among.test(stream)) {
                longest = stream;
                most = idle;
            }
        }
        if (longest == null) {
            if (share == null) {
                nextSearch = now + SEARCH_NANOS;
            } else {
                share.nextSearch = now + SEARCH_NANOS;
            }
        }
        return longest;
    }

    private void add(ClientStream stream) {
        open.add(stream);
        Share share = shares.computeIfAbsent(stream.party().group(), group -> newShare());
        share.count++;
        share.byName.merge(stream.party().name(), 1, Integer::sum);
    }

    private Share newShare() {
        Share share = new Share();
        share.nextSearch = nextSearch;
        return share;
    }

    private void remove(ClientStream stream) {
        open.remove(stream);
        Object group = stream.party().group();
        @Nullable Share share = shares.get(group);
        if (share == null) {
            return;
        }
        share.byName.computeIfPresent(stream.party().name(), (name, count) -> count == 1 ? null : count - 1);
        share.count--;
        if (share.count == 0) {
            shares.remove(group);
        }
    }
}
