package io.millrace.gateway.s3.connection;

import io.netty.channel.Channel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a port that have sent a request. Of those without one in progress or a response to send, the one
 * that has been idle longest gives way if there is no room for another. With none of those, the one does whose response
 * has waited longest for its client to take it: who takes nothing must not keep others out either. Costs a request
 * nothing: how a connection is doing is asked when one must give way. Thread-safe.
 */
final class UsedConnections {
    /**
     * The connections that are looked at for an idle one, in turns: a flood of new ones must not cost a look at all
     * each time.
     */
    static final int LOOKED_AT = 1024;

    /**
     * The shortest time for which a response has waited when its connection gives way: one that has just been sent is
     * on its way.
     */
    static final Duration UNTAKEN = Duration.ofSeconds(1);

    private final List<Entry> entries = new ArrayList<>();
    private int next;

    /** A connection with its place in the list, which is negative while it is in none. */
    private static final class Entry {
        private final Channel channel;
        private final ConnectionActivity activity;
        private int place = -1;

        Entry(Channel channel, ConnectionActivity activity) {
            this.channel = channel;
            this.activity = activity;
        }
    }

    /** The connection with the longest time of those that were looked at. */
    private static final class Longest {
        private @Nullable Entry entry;
        private long nanos;

        /** @param least the shortest time that counts */
        Longest(Duration least) {
            nanos = least.toNanos() - 1;
        }

        void look(Entry other, long itsNanos) {
            if (itsNanos > nanos) {
                entry = other;
                nanos = itsNanos;
            }
        }
    }

    /** Adds a connection until it is closed. */
    void add(Channel channel, ConnectionActivity activity) {
        Entry entry = new Entry(channel, activity);
        add(entry);
        channel.closeFuture().addListener(closed -> remove(entry));
    }

    /**
     * Closes the connection that has been idle longest, with none idle the one whose response has waited longest;
     * returns false if there is neither.
     */
    boolean closeOne() {
        Longest idle = new Longest(Duration.ZERO);
        Longest unsent = new Longest(UNTAKEN);
        @Nullable Entry longest = takeLongest(idle, unsent);
        if (longest != null) {
            boolean isIdle = longest == idle.entry;
            longest.channel.eventLoop().execute(() -> close(longest, isIdle));
        }
        return longest != null;
    }

    /**
     * A request that has come meanwhile is served, as if the connection had never been idle; so is a client that took
     * its response.
     */
    private void close(Entry entry, boolean wasIdle) {
        Channel channel = entry.channel;
        if (channel.isOpen()
                && !(wasIdle ? entry.activity.closeIfIdle(channel) : entry.activity.closeIfUnsent(channel))) {
            add(entry);
        }
    }

    /** Removes and returns the longest idle one, with none idle the longest unsent; null if there is neither. */
    private synchronized @Nullable Entry takeLongest(Longest idle, Longest unsent) {
        long now = System.nanoTime();
        for (int left = Math.min(LOOKED_AT, entries.size()); left > 0; left--) {
            next = (next + 1) % entries.size();
            Entry entry = entries.get(next);
            idle.look(entry, entry.activity.idleNanos(now));
            unsent.look(entry, entry.activity.unsentNanos(now));
        }
        @Nullable Entry longest = idle.entry == null ? unsent.entry : idle.entry;
        if (longest != null) {
            remove(longest);
        }
        return longest;
    }

    private synchronized void add(Entry entry) {
        entry.place = entries.size();
        entries.add(entry);
    }

    private synchronized void remove(Entry entry) {
        if (entry.place < 0) {
            return;
        }
        Entry last = entries.remove(entries.size() - 1);
        if (last != entry) {
            entries.set(entry.place, last);
            last.place = entry.place;
        }
        entry.place = -1;
    }
}
