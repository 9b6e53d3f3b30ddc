package io.millrace.gateway.s3.connection;

import io.netty.channel.Channel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a port that have sent a request. Of those without one in progress or a response to send, the one that has been idle longest gives
 * way if there is no room for another. Costs a request nothing: whether a connection is idle is asked when one must give way.
 * Thread-safe.
 */
final class UsedConnections {
    /** The connections that are looked at for an idle one, in turns: a flood of new ones must not cost a look at all each time. */
    static final int LOOKED_AT = 1024;

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

    /** Adds a connection until it is closed. */
    void add(Channel channel, ConnectionActivity activity) {
        Entry entry = new Entry(channel, activity);
        add(entry);
        channel.closeFuture().addListener(closed -> remove(entry));
    }

    /** Closes the connection that has been idle longest; returns false if none is. */
    boolean closeLongestIdle() {
        @Nullable Entry longest = takeLongestIdle();
        if (longest != null) {
            closeOnItsLoop(longest);
        }
        return longest != null;
    }

    private void closeOnItsLoop(Entry entry) {
        entry.channel.eventLoop().execute(() -> closeIfIdle(entry));
    }

    /** A request that has come meanwhile is served, as if the connection had never been idle. */
    private void closeIfIdle(Entry entry) {
        if (entry.channel.isOpen() && !entry.activity.closeIfIdle(entry.channel)) {
            add(entry);
        }
    }

    private synchronized @Nullable Entry takeLongestIdle() {
        long now = System.nanoTime();
        @Nullable Entry longest = null;
        long longestNanos = -1;
        for (int left = Math.min(LOOKED_AT, entries.size()); left > 0; left--) {
            next = (next + 1) % entries.size();
            Entry entry = entries.get(next);
            long nanos = entry.activity.idleNanos(now);
            if (nanos > longestNanos) {
                longest = entry;
                longestNanos = nanos;
            }
        }
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
