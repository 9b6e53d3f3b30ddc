package io.millrace.backend.s3;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import io.netty.util.Timeout;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Takes the pieces of a body to a connection, at the pace of its socket. Reactor Netty would ask for 128 pieces at once.
 *
 * <p>The last piece stays here until the pieces have ended: of a body that fails, a server never has the whole. A socket that
 * takes nothing for the idle time fails the request; pieces may take as long as they do. A socket that refuses ends the sending
 * and nothing else: the server may have answered before it closed, and that answer is still to be read.
 *
 * <p>All state belongs to the connection's event loop, which every signal is passed to, in order.
 */
final class BodyTransfer implements CoreSubscriber<ByteBuf>, Subscription {
    /** Bytes the socket has not taken, above which no other piece is asked for: with those on their way, some 256 KiB. */
    private static final int WINDOW = 128 << 10;

    /** Pieces on their way: with one, each would wake its source's thread, and then ours, for itself. */
    private static final int AHEAD = 2;

    /** Behind so many bytes the loop looks at its sockets: a source that is never empty would keep it to itself. */
    private static final int TURN = 1 << 20;

    /** Written at once, so that a slow socket is seen to take something. */
    private static final int SLICE = 64 << 10;

    private final BodySender body;
    private final Channel channel;
    private final EventLoop loop;
    private final CoreSubscriber<? super Void> outbound;
    private final ChannelFutureListener onClose = closed -> end();
    private Subscription pieces = Operators.emptySubscription();
    private @Nullable ByteBuf last;
    private @Nullable Timeout armed;
    private long left;
    private long untaken;
    private long since = System.nanoTime();
    private int inTurn;
    private int owed;
    private boolean finishing;
    private boolean ended;

    /**
     * @param outbound told when the last byte has gone, or what kept it from going
     */
    BodyTransfer(BodySender body, Channel channel, CoreSubscriber<? super Void> outbound) {
        this.body = body;
        this.channel = channel;
        this.loop = channel.eventLoop();
        this.outbound = outbound;
        this.left = body.framing().contentLength();
    }

    /** Called on the event loop. */
    void start() {
        // A refused write would close the connection, and an answer that is here already would be lost with it.
        channel.config().setAutoClose(false);
        channel.closeFuture().addListener(onClose);
        outbound.onSubscribe(this);
        arm(body.deadlines().idle().toNanos());
        body.subscribe(this);
    }

    /** Sends no more, on whatever thread. */
    void stop() {
        if (loop.inEventLoop()) {
            end();
        } else {
            loop.execute(this::end);
        }
    }

    @Override
    public Context currentContext() {
        return outbound.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        loop.execute(() -> {
            pieces = subscription;
            if (ended) {
                subscription.cancel();
            } else {
                ask();
            }
        });
    }

    @Override
    public void onNext(ByteBuf piece) {
        loop.execute(() -> take(piece));
    }

    @Override
    public void onError(Throwable cause) {
        loop.execute(() -> {
            if (!ended) {
                body.failed(cause);
                fail(cause);
            }
        });
    }

    @Override
    public void onComplete() {
        loop.execute(this::finish);
    }

    @Override
    public void request(long n) {
        // Nothing comes this way but the end.
    }

    @Override
    public void cancel() {
        stop();
    }

    private void take(ByteBuf piece) {
        int bytes = piece.readableBytes();
        owed--;
        if (ended || bytes > left) {
            piece.release();
            if (!ended) {
                fail(new IllegalStateException("the body is longer than it was said to be"));
            }
            return;
        }
        left -= bytes;
        inTurn += bytes;
        if (bytes == 0) {
            piece.release();
        } else if (left == 0) {
            last = piece;
        } else {
            write(body.framing().frame(piece));
        }
        ask();
    }

    /** Also behind the last piece: there are sources that tell their end only to who asks for more. */
    private void ask() {
        if (ended || owed == AHEAD || finishing || untaken >= WINDOW) {
            return;
        }
        int more = AHEAD - owed;
        owed = AHEAD;
        if (inTurn < TURN) {
            pieces.request(more);
        } else {
            inTurn = 0;
            // Only what has a time, if one that is over, comes behind the sockets.
            Future<?> unused = loop.schedule(() -> pieces.request(more), 1, TimeUnit.NANOSECONDS);
        }
    }

    private void finish() {
        if (ended || finishing) {
            return;
        }
        if (left > 0) {
            fail(new IllegalStateException("the body ended %d bytes short".formatted(left)));
            return;
        }
        finishing = true;
        ByteBuf end;
        try {
            end = body.framing().end();
        } catch (RuntimeException e) {
            body.failed(e);
            fail(e);
            return;
        }
        ByteBuf piece = last == null ? Unpooled.EMPTY_BUFFER : body.framing().frame(last);
        last = null;
        // In one, or the first might be out, and with it the whole, before the second is known of.
        write(Unpooled.wrappedBuffer(piece, end));
    }

    private void write(ByteBuf bytes) {
        if (untaken == 0) {
            since = System.nanoTime();
        }
        untaken += bytes.readableBytes();
        while (bytes.readableBytes() > SLICE) {
            send(bytes.readRetainedSlice(SLICE));
        }
        send(bytes);
        channel.flush();
    }

    private void send(ByteBuf bytes) {
        int count = bytes.readableBytes();
        channel.write(bytes).addListener(written -> taken(count, written));
    }

    private void taken(int bytes, Future<?> written) {
        untaken -= bytes;
        since = System.nanoTime();
        if (!written.isSuccess()) {
            end();
        } else if (!ended && finishing && untaken == 0) {
            body.isOut();
            end();
            outbound.onComplete();
        } else {
            ask();
        }
    }

    private void fail(Throwable cause) {
        if (!ended) {
            end();
            outbound.onError(cause);
        }
    }

    private void arm(long nanos) {
        armed = Deadlines.in(nanos, () -> loop.execute(this::checkTime));
    }

    private void checkTime() {
        if (ended) {
            return;
        }
        long idle = body.deadlines().idle().toNanos();
        long left = idle - (untaken > 0 ? System.nanoTime() - since : 0);
        if (left > 0) {
            arm(left);
        } else {
            fail(body.deadlines().deafness());
        }
    }

    private void end() {
        if (ended) {
            return;
        }
        ended = true;
        channel.closeFuture().removeListener(onClose);
        channel.config().setAutoClose(true);
        pieces.cancel();
        ByteBuf held = last;
        last = null;
        if (held != null) {
            held.release();
        }
        Timeout timeout = armed;
        if (timeout != null) {
            timeout.cancel();
        }
        body.noMore();
    }
}
