package io.millrace.gateway.s3.connection;

import io.netty.channel.Channel;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Connections in the order in which they were added, of all clients and of each network. Not thread-safe. */
final class ConnectionQueue {
    private final Map<Channel, Long> networks = new LinkedHashMap<>();
    private final Map<Long, Set<Channel>> ofNetwork = new HashMap<>();

    /** Adds a connection that is not in it, as the last. */
    void add(Channel channel, long network) {
        networks.put(channel, network);
        ofNetwork.computeIfAbsent(network, first -> new LinkedHashSet<>()).add(channel);
    }

    void remove(Channel channel) {
        @Nullable Long network = networks.remove(channel);
        if (network != null) {
            ofNetwork.computeIfPresent(network, (same, channels) -> {
                channels.remove(channel);
                return channels.isEmpty() ? null : channels;
            });
        }
    }

    /** Removes the first; null if there is none. */
    @Nullable Channel take() {
        return taken(networks.keySet());
    }

    /** Removes the first of a network; null if there is none. */
    @Nullable Channel take(long network) {
        return taken(ofNetwork.getOrDefault(network, Set.of()));
    }

    private @Nullable Channel taken(Set<Channel> inOrder) {
        @Nullable Channel first = inOrder.isEmpty() ? null : inOrder.iterator().next();
        if (first != null) {
            remove(first);
        }
        return first;
    }
}
