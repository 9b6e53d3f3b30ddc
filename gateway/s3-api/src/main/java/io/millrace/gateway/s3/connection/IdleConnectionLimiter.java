package io.millrace.gateway.s3.connection;

import io.millrace.auth.policy.RequestSource;
import io.millrace.gateway.objects.monitor.LogPause;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the open connections of a port beside the data plane, which take file descriptors that it needs. The one that
 * has been idle longest gives way to a new one, so that nobody keeps others out by connections alone. Thread-safe.
 */
public final class IdleConnectionLimiter {
    /** The connections beyond a limit that may be open because others that give way to them are not closed yet. */
    private static final int MOST_CLOSING = 64;

    private static final Logger log = LoggerFactory.getLogger(IdleConnectionLimiter.class);

    private final String port;
    private final int most;
    private final int mostOfOne;
    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentMap<Long, Integer> byNetwork = new ConcurrentHashMap<>();
    private final IdleConnections idle = new IdleConnections();
    private final LogPause logPause = new LogPause();

    /**
     * @param port names the port in the log
     * @param most connections, of all clients
     * @param mostOfOne of one address, or one IPv6 network
     */
    public IdleConnectionLimiter(String port, int most, int mostOfOne) {
        this.port = port;
        this.most = most;
        this.mostOfOne = mostOfOne;
    }

    /**
     * Counts a new connection until it is closed. If as many are open as there may be, closes the one that has been
     * idle longest, or this one if none is idle.
     *
     * @return whether the connection is served
     */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for a refused connection
    public boolean admit(Channel channel) {
        long network = network(channel);
        int beyond = open.incrementAndGet() - most;
        int beyondOne = byNetwork.merge(network, 1, Integer::sum) - mostOfOne;
        channel.closeFuture().addListener(closed -> release(network));
        // One of the same address makes room for both limits.
        if (beyondOne > 0
                ? hasRoom(beyondOne, () -> idle.closeOldest(network), channel, mostOfOne + " of that address are open")
                : hasRoom(beyond, idle::closeOldest, channel, most + " are open")) {
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
                    "Connections to {} are closed, the longest idle first, for one of {}: {}. Find out"
                            + " who opens them, or let fewer reach the port",
                    port,
                    channel.remoteAddress(),
                    limit);
        }
    }
}
