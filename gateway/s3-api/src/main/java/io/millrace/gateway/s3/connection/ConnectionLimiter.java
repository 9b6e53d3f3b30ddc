package io.millrace.gateway.s3.connection;

import io.millrace.auth.policy.RequestSource;
import io.millrace.auth.policy.TrustedProxies;
import io.millrace.gateway.objects.monitor.LogPause;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the open connections, in all and of one client address. It works once a connection, never once a request.
 * Thread-safe.
 *
 * <p>IPv6 addresses count by their first 64 bits, because one client usually has all addresses below them. Declared
 * proxies have no limit of their own: their connections are those of many clients. Before one is refused, the oldest
 * that has not sent a request yet gives way; with none of those, and beyond the limit of all, the one that has been
 * idle longest, and then the one whose client has not taken a response for longest.
 */
public final class ConnectionLimiter {
    private static final Logger log = LoggerFactory.getLogger(ConnectionLimiter.class);

    /** The refused connections that may wait for their error response at one time; further ones are closed at once. */
    private static final int MAX_RESPONDING = 256;

    /** The connections beyond a limit that may be open because others that give way to them are not closed yet. */
    private static final int MAX_CLOSING = 256;

    private volatile int maxConnections;
    private volatile Optional<Integer> maxPerAddress;
    private final TrustedProxies proxies;
    private final ConnectionMeters meters;
    private final Supplier<String> requestIds;
    private final ConcurrentMap<Long, Integer> byAddress = new ConcurrentHashMap<>();
    private final IdleConnections unused = new IdleConnections();
    private final UsedConnections used = new UsedConnections();
    private final AtomicInteger responding = new AtomicInteger();
    private final LogPause logPause = new LogPause();

    /** @param requestIds returns a new id for an error response */
    public ConnectionLimiter(
            int maxConnections,
            Optional<Integer> maxPerAddress,
            TrustedProxies proxies,
            ConnectionMeters meters,
            Supplier<String> requestIds) {
        this.maxConnections = maxConnections;
        this.maxPerAddress = maxPerAddress;
        this.proxies = proxies;
        this.meters = meters;
        this.requestIds = requestIds;
        meters.limit(maxConnections);
    }

    /** Sets the limits for new connections. Those that are open stay, also beyond a lower limit. */
    public void limit(int all, Optional<Integer> perAddress) {
        maxConnections = all;
        maxPerAddress = perAddress;
        meters.limit(all);
    }

    /**
     * Counts a new connection until it is closed. One beyond a limit is refused: over plain HTTP its first request is
     * answered SlowDown, over TLS it is closed, because a handshake costs more than it. To be called before the channel
     * is active.
     *
     * @return whether the connection is served; otherwise no other handler sees it
     */
    public boolean admit(Channel channel, boolean encrypted) {
        long address = RequestSource.networkOf(ConnectionSource.peer(channel));
        boolean isOfOne = !proxies.contains(ConnectionSource.peer(channel));
        @Nullable RefusalReason reason = count(channel, address, isOfOne);
        if (reason == null) {
            unused.add(channel, address);
            channel.closeFuture().addListener(closed -> {
                unused.remove(channel);
                release(address, isOfOne);
            });
            return true;
        }
        count(reason, channel);
        refuse(channel, encrypted);
        return false;
    }

    /**
     * Returns the handler of an admitted connection that sees its first request; to be placed after the codec, before
     * all that may answer it.
     *
     * @param activity says whether the connection is idle from then on
     */
    public ChannelHandler firstRequest(ConnectionActivity activity) {
        return new FirstRequestHandler(channel -> {
            used.add(channel, activity);
            unused.remove(channel);
        });
    }

    private @Nullable RefusalReason count(Channel channel, long address, boolean isOfOne) {
        int beyond = meters.open().incrementAndGet() - maxConnections;
        int beyondOne =
                isOfOne ? byAddress.merge(address, 1, Integer::sum) - maxPerAddress.orElse(Integer.MAX_VALUE) : 0;
        // One of the same address makes room for both limits.
        @Nullable RefusalReason reason = beyondOne > 0
                ? RefusalReason.MAX_CONNECTIONS_PER_ADDRESS
                : beyond > 0 ? RefusalReason.MAX_CONNECTIONS : null;
        if (reason == null
                || (beyondOne > 0
                        ? makesRoom(beyondOne, () -> unused.closeOldest(address), reason, channel)
                        : makesRoom(beyond, this::closesAny, reason, channel))) {
            return null;
        }
        release(address, isOfOne);
        return reason;
    }

    private boolean makesRoom(int beyond, BooleanSupplier closesOne, RefusalReason reason, Channel channel) {
        boolean closed = beyond <= MAX_CLOSING && closesOne.getAsBoolean();
        if (closed) {
            count(reason, channel);
        }
        return closed;
    }

    private boolean closesAny() {
        return unused.closeOldest() || used.closeOne();
    }

    private void release(long address, boolean isOfOne) {
        meters.open().decrementAndGet();
        if (isOfOne) {
            byAddress.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Counts a connection that is refused or gives way. */
    private void count(RefusalReason reason, Channel channel) {
        meters.refused(reason);
        log(reason, channel);
    }

    private void refuse(Channel channel, boolean encrypted) {
        boolean respond = !encrypted && responding.incrementAndGet() <= MAX_RESPONDING;
        if (!encrypted) {
            channel.closeFuture().addListener(closed -> responding.decrementAndGet());
        }
        channel.pipeline().addFirst(new RefusedConnectionHandler(respond, requestIds));
    }

    /** Logs once a minute: a flood of connections must not become a flood of lines. */
    private void log(RefusalReason reason, Channel channel) {
        if (logPause.begin()) {
            log.warn(
                    "Connections are refused, or closed while idle or while their clients take nothing, at one of {}:"
                            + " s3.{} is reached. Clients get SlowDown, or over TLS a closed connection. Raise the"
                            + " limit if these are clients of yours; millrace_s3_connections_refused_total counts them",
                    channel.remoteAddress(),
                    reason.wireName());
        }
    }
}
