package io.millrace.gateway.s3.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The heads and last parts of a connection's responses of which the socket has not taken all bytes. Closes the
 * connection if its client takes nothing of what waits for a while, whoever wrote it: Reactor Netty has no timer while
 * a response is being sent.
 *
 * <p>A part that the socket takes at once costs a count. Only one that waits starts a timer, which ends when it finds
 * that none waits. All but {@link #nanos} belongs to the channel's event loop.
 */
final class UnsentResponses {
    /** The number of checks without progress before a reader counts as stalled. */
    static final int CHECKS = 4;

    private static final long NOTHING_WAITS = Long.MIN_VALUE;

    private final long pauseNanos;
    private int waiting;
    private @Nullable Future<?> timer;

    /** The time since which the socket has taken no whole part, by {@link System#nanoTime}. */
    private volatile long since = NOTHING_WAITS;

    /** The number of parts that were sent, which may overflow. */
    private int sent;

    /**
     * The value of {@link #sent} at the last check. As long as it is the same, nothing that waited then can have been
     * written anew.
     */
    private int seenSent;

    /** The identity of the message whose bytes were next at the last check. */
    private int seenMessage;

    /** The number of bytes of it that had been sent. */
    private long seenBytes;

    private int checksWithoutProgress;

    /** @param stalledReaderTimeout how long a client may take nothing */
    UnsentResponses(Duration stalledReaderTimeout) {
        this.pauseNanos = stalledReaderTimeout.toNanos() / CHECKS;
    }

    boolean isEmpty() {
        return waiting == 0;
    }

    /** Counts a part that is about to be written. */
    void add() {
        waiting++;
    }

    /** Counts a part of which all bytes were handed to the socket, or never will be. */
    void remove() {
        waiting--;
        sent++;
        if (since != NOTHING_WAITS) {
            since = waiting == 0 ? NOTHING_WAITS : System.nanoTime();
        }
    }

    /** Watches what the socket has not taken. To be called after each flush. */
    void watch(ChannelHandlerContext context) {
        if (waiting == 0) {
            return;
        }
        if (since == NOTHING_WAITS) {
            since = System.nanoTime();
        }
        if (timer == null && context.channel().isActive()) {
            checksWithoutProgress = 0;
            noteProgress(context);
            schedule(context);
        }
    }

    /** Ends the watch, of a connection that is closed. */
    void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    /**
     * Returns for how long parts have waited without one being taken whole; negative if none waits. To be called from
     * any thread.
     *
     * @param now the time by {@link System#nanoTime}
     */
    long nanos(long now) {
        long begin = since;
        return begin == NOTHING_WAITS ? -1 : Math.max(0, now - begin);
    }

    private void schedule(ChannelHandlerContext context) {
        timer = context.executor().schedule(() -> check(context), pauseNanos, TimeUnit.NANOSECONDS);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the connection is abandoned
    private void check(ChannelHandlerContext context) {
        timer = null;
        if (waiting == 0) {
            return;
        }
        checksWithoutProgress = noteProgress(context) ? 0 : checksWithoutProgress + 1;
        if (checksWithoutProgress == CHECKS) {
            // Not through the lingering close: this client reads no response, so none can be lost.
            context.close();
        } else {
            schedule(context);
        }
    }

    /** Returns whether bytes have left since the last check. */
    private boolean noteProgress(ChannelHandlerContext context) {
        @Nullable ChannelOutboundBuffer buffer = context.channel().unsafe().outboundBuffer();
        int message = buffer == null ? 0 : System.identityHashCode(buffer.current());
        long bytes = buffer == null ? 0 : buffer.currentProgress();
        boolean progress = sent != seenSent || message != seenMessage || bytes != seenBytes;
        seenSent = sent;
        seenMessage = message;
        seenBytes = bytes;
        return progress;
    }
}
