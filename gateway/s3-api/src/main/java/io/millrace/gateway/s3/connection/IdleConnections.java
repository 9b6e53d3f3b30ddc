package io.millrace.gateway.s3.connection;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;
import reactor.netty.NettyPipeline;

/**
 * The connections of a port on which no request is in progress, the one that has been idle longest first. It gives way
 * if there is no room for another: who opens many and sends nothing keeps nobody out. Only with none of those does one
 * give way whose response waits for its client to take it: who takes nothing must not keep others out either.
 * Thread-safe.
 */
final class IdleConnections {
    private final ConnectionQueue idle = new ConnectionQueue();
    private final ConnectionQueue sending = new ConnectionQueue();

    /**
     * Follows a new connection and its requests until it is closed. To be called before the channel is active.
     *
     * @param network that of the client
     */
    void follow(Channel channel, long network) {
        add(channel, network);
        channel.pipeline()
                .addAfter(NettyPipeline.HttpCodec, "millrace.idle", new RequestActivityHandler(this, network));
    }

    /** Adds a connection as the one that became idle last. */
    void add(Channel channel, long network) {
        add(idle, channel, network);
    }

    /** Adds a connection whose last response is complete and waits to be sent. */
    void addSending(Channel channel, long network) {
        add(sending, channel, network);
    }

    private void add(ConnectionQueue queue, Channel channel, long network) {
        synchronized (this) {
            remove(channel);
            queue.add(channel, network);
        }
        if (!channel.isOpen()) {
            remove(channel);
        }
    }

    /** Removes a connection that has a request, or is closed. */
    synchronized void remove(Channel channel) {
        idle.remove(channel);
        sending.remove(channel);
    }

    /** Closes the connection that has been idle longest; returns false if none is. */
    boolean closeOldest() {
        return close(takeOldest());
    }

    /** Closes the connection of a network that has been idle longest; returns false if none is. */
    boolean closeOldest(long network) {
        return close(takeOldest(network));
    }

    private synchronized @Nullable Channel takeOldest() {
        @Nullable Channel oldest = idle.take();
        return oldest == null ? sending.take() : oldest;
    }

    private synchronized @Nullable Channel takeOldest(long network) {
        @Nullable Channel oldest = idle.take(network);
        return oldest == null ? sending.take(network) : oldest;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for a connection that gives way
    private static boolean close(@Nullable Channel oldest) {
        if (oldest != null) {
            oldest.close();
        }
        return oldest != null;
    }
}
