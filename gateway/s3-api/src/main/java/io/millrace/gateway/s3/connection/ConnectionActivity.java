package io.millrace.gateway.s3.connection;

import io.netty.channel.Channel;

/** The requests of one connection, as the limiter of its port sees them. */
public interface ConnectionActivity {
    /**
     * Returns for how long no request has been in progress, and every response sent; negative if one is. To be called
     * from any thread.
     *
     * @param now the time by {@link System#nanoTime}
     */
    long idleNanos(long now);

    /**
     * Closes the connection, unless a request is in progress or a response not sent yet. To be called on its event
     * loop.
     *
     * @return whether it was idle
     */
    boolean closeIfIdle(Channel channel);

    /**
     * Returns for how long responses have waited for the client without it having taken one of them; negative if none
     * waits. To be called from any thread.
     *
     * @param now the time by {@link System#nanoTime}
     */
    long unsentNanos(long now);

    /**
     * Closes the connection if a response waits for the client to take it, whatever else it has in progress: that comes
     * after the response. To be called on its event loop.
     *
     * @return whether one waited
     */
    boolean closeIfUnsent(Channel channel);
}
