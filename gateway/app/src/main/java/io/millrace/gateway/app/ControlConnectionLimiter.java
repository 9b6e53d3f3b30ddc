package io.millrace.gateway.app;

import io.millrace.auth.policy.RequestSource;
import io.millrace.gateway.objects.monitor.LogPause;
import io.millrace.gateway.s3.connection.IdleConnections;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the open connections of the control port, which take file descriptors that the data plane needs. The one that
 * has been idle longest gives way to a new one, so that nobody keeps probes out by connections alone. Thread-safe.
 */
final class ControlConnectionLimiter {
    static final int MOST = 1024;

    /** Of one address, or one IPv6 network. */
    static final int MOST_OF_ONE = MOST / 4;

    /** The connections beyond a limit that may be open because others that give way to them are not closed yet. */
    private static final int MOST_CLOSING = 64;

    private static final Logger log = LoggerFactory.getLogger(ControlConnectionLimiter.class);

    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentMap<Long, Integer> byNetwork = new ConcurrentHashMap<>();
    private final IdleConnections idle = new IdleConnections();
    private final LogPause logPause = new LogPause();

    /**
     * Counts a new connection until it is closed. If as many are open as there may be, closes the one that has been
     * idle longest, or this one if none is idle.
     *
     * @return whether the connection is served
     */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for a refused connection
    boolean admit(Channel channel) {
        long network = network(channel);
        int beyond = open.incrementAndGet() - MOST;
        int beyondOne = byNetwork.merge(network, 1, Integer::sum) - MOST_OF_ONE;
        channel.closeFuture().addListener(closed -> release(network));
        // One of the same address makes room for both limits.
        if (beyondOne > 0
                ? hasRoom(
                        beyondOne, () -> idle.closeOldest(network), channel, MOST_OF_ONE + " of that address are open")
                : hasRoom(beyond, idle::closeOldest, channel, MOST + " are open")) {
            idle.follow(channel, network);
            return true;
        }
        channel.close();
        return false;
    }

    private boolean hasRoom(int beyond, BooleanSupplier closesOne, Channel channel, String limit) {
        if (beyond <= 0) {
            return true;
        }
        log(channel, limit);
        return beyond <= MOST_CLOSING && closesOne.getAsBoolean();
    }

    private void release(long network) {
        open.decrementAndGet();
        byNetwork.computeIfPresent(network, (same, count) -> count == 1 ? null : count - 1);
    }

    private static long network(Channel channel) {
        return RequestSource.networkOf(
                channel.remoteAddress() instanceof InetSocketAddress peer ? peer.getAddress() : null);
    }

    /** Logs once a minute: a flood of connections must not become a flood of lines. */
    private void log(Channel channel, String limit) {
        if (logPause.begin()) {
            log.warn(
                    "Connections to the control port are closed, the longest idle first, for one of {}: {}. Find out"
                            + " who opens them, or let fewer reach the port",
                    channel.remoteAddress(),
                    limit);
        }
    }
}
