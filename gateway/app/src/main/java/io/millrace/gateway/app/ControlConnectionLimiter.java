package io.millrace.gateway.app;

import io.millrace.gateway.s3.connection.IdleConnectionLimiter;
import io.netty.channel.Channel;

/** Bounds the open connections of the control port, so that nobody keeps probes out. Thread-safe. */
final class ControlConnectionLimiter {
    static final int MOST = 1024;

    /** Of one address, or one IPv6 network. */
    static final int MOST_OF_ONE = MOST / 4;

    private final IdleConnectionLimiter connections = new IdleConnectionLimiter("the control port", MOST, MOST_OF_ONE);

    /**
     * Counts a new connection until it is closed. If as many are open as there may be, closes the one that has been
     * idle longest, or this one if none is idle.
     *
     * @return whether the connection is served
     */
    boolean admit(Channel channel) {
        return connections.admit(channel);
    }
}
