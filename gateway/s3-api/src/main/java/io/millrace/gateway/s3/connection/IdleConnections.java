package io.millrace.gateway.s3.connection;

import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.netty.NettyPipeline;

/**
 * The connections of a port on which no request is in progress, the one that has been idle longest first. It gives way if there
 * is no room for another: who opens many and sends nothing keeps nobody out. Thread-safe.
 */
public final class IdleConnections {
    private final Map<Channel, Long> networks = new LinkedHashMap<>();
    private final Map<Long, Set<Channel>> ofNetwork = new HashMap<>();

    /**
     * Follows a new connection and its requests until it is closed. To be called before the channel is active.
     *
     * @param network that of the client
     */
    public void follow(Channel channel, long network) {
        add(channel, network);
        channel.pipeline()
                .addAfter(NettyPipeline.HttpCodec, "millrace.idle", new RequestActivityHandler(this, network));
    }

    /** Adds a connection as the one that became idle last. */
    void add(Channel channel, long network) {
        synchronized (this) {
            remove(channel);
            networks.put(channel, network);
            ofNetwork.computeIfAbsent(network, first -> new LinkedHashSet<>()).add(channel);
        }
        if (!channel.isOpen()) {
            remove(channel);
        }
    }

    /** Removes a connection that has a request, or is closed. */
    synchronized void remove(Channel channel) {
        @Nullable Long network = networks.remove(channel);
        if (network != null) {
            ofNetwork.computeIfPresent(network, (same, channels) -> {
                channels.remove(channel);
                return channels.isEmpty() ? null : channels;
            });
        }
    }

    /** Closes the connection that has been idle longest; returns false if none is. */
    public boolean closeOldest() {
        return close(takeOldest());
    }

    /** Closes the connection of a network that has been idle longest; returns false if none is. */
    public boolean closeOldest(long network) {
        return close(takeOldest(network));
    }

    private synchronized @Nullable Channel takeOldest() {
        return take(networks.keySet().iterator());
    }

    private synchronized @Nullable Channel takeOldest(long network) {
        return take(ofNetwork.getOrDefault(network, Set.of()).iterator());
    }

    private @Nullable Channel take(Iterator<Channel> oldestFirst) {
        @Nullable Channel oldest = oldestFirst.hasNext() ? oldestFirst.next() : null;
        if (oldest != null) {
            remove(oldest);
        }
        return oldest;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for a connection that gives way
    private static boolean close(@Nullable Channel oldest) {
        if (oldest != null) {
            oldest.close();
        }
        return oldest != null;
    }
}
