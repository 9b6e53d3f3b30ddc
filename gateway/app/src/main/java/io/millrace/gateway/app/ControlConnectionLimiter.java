package io.millrace.gateway.app;

import io.netty.channel.Channel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Bounds the open connections of the control port, which take file descriptors that the data plane needs. Thread-safe. */
final class ControlConnectionLimiter {
    static final int MOST = 1024;

    private static final Logger log = LoggerFactory.getLogger(ControlConnectionLimiter.class);
    private static final Duration LOG_PAUSE = Duration.ofMinutes(1);

    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong loggedAt = new AtomicLong(System.nanoTime() - LOG_PAUSE.toNanos());

    /**
     * Counts a new connection until it is closed, or closes it if as many are open as there may be.
     *
     * @return whether the connection is served
     */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for a refused connection
    boolean admit(Channel channel) {
        if (open.incrementAndGet() <= MOST) {
            channel.closeFuture().addListener(closed -> open.decrementAndGet());
            return true;
        }
        open.decrementAndGet();
        log(channel);
        channel.close();
        return false;
    }

    /** Logs once a minute: a flood of connections must not become a flood of lines. */
    private void log(Channel channel) {
        long now = System.nanoTime();
        long last = loggedAt.get();
        if (now - last >= LOG_PAUSE.toNanos() && loggedAt.compareAndSet(last, now)) {
            log.warn(
                    "Connections to the control port are closed, among them one of {}: {} are open. Find out who opens them, or"
                            + " let fewer reach the port",
                    channel.remoteAddress(),
                    MOST);
        }
    }
}
