package io.millrace.gateway.app;

import io.millrace.gateway.objects.monitor.LogPause;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Bounds the open connections of the control port, which take file descriptors that the data plane needs. Thread-safe. */
final class ControlConnectionLimiter {
    static final int MOST = 1024;

    /** Of one address, so that no single client keeps probes out. */
    static final int MOST_OF_ONE = MOST / 4;

    private static final Logger log = LoggerFactory.getLogger(ControlConnectionLimiter.class);

    private final AtomicInteger open = new AtomicInteger();
    private final ConcurrentMap<String, Integer> byAddress = new ConcurrentHashMap<>();
    private final LogPause logPause = new LogPause();

    /**
     * Counts a new connection until it is closed, or closes it if as many are open as there may be.
     *
     * @return whether the connection is served
     */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for a refused connection
    boolean admit(Channel channel) {
        String address = address(channel);
        int all = open.incrementAndGet();
        int ofOne = byAddress.merge(address, 1, Integer::sum);
        if (all <= MOST && ofOne <= MOST_OF_ONE) {
            channel.closeFuture().addListener(closed -> release(address));
            return true;
        }
        release(address);
        log(channel, all > MOST ? MOST + " are open" : MOST_OF_ONE + " of that address are open");
        channel.close();
        return false;
    }

    private void release(String address) {
        open.decrementAndGet();
        byAddress.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
    }

    private static String address(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress peer
                ? peer.getAddress().getHostAddress()
                : "";
    }

    /** Logs once a minute: a flood of connections must not become a flood of lines. */
    private void log(Channel channel, String limit) {
        if (logPause.begin()) {
            log.warn(
                    "Connections to the control port are closed, among them one of {}: {}. Find out who opens them, or"
                            + " let fewer reach the port",
                    channel.remoteAddress(),
                    limit);
        }
    }
}
