package io.millrace.backend.http;

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
 * Writes the buffers of a request body to a channel at the pace of its socket. Reactor Netty would request 128 buffers
 * at once.
 *
 * <p>The last buffer is held back until the publisher completes, so that a server never has the whole of a body that
 * fails. If the socket accepts nothing for the idle timeout, the request fails; the publisher has no timeout. A failed
 * write ends only the sending: the server may have responded before it closed, and that response is still to be read.
 *
 * <p>All state belongs to the connection's event loop, to which every signal is passed in order.
 */
final class RequestBodyWriter implements CoreSubscriber<ByteBuf>, Subscription {
    /** Unflushed bytes above which no more buffers are requested; with the requested ones some 256 KiB. */
    private static final int WINDOW = 128 << 10;

    /** Buffers requested at once: with one, each would wake the publisher's thread and then ours. */
    private static final int PREFETCH = 2;

    /** Bytes after which the event loop serves its other sockets: a publisher that is never empty would block it. */
    private static final int BYTES_PER_TURN = 1 << 20;

    /** The largest write in bytes, so that progress of a slow socket is seen. */
    private static final int SLICE = 64 << 10;

    private final StreamingRequestBody body;
    private final Channel channel;
    private final EventLoop loop;
    private final CoreSubscriber<? super Void> outbound;
    private final ChannelFutureListener onClose = closed -> end();
    private Subscription pieces = Operators.emptySubscription();
    private @Nullable ByteBuf last;
    private @Nullable Timeout armed;
    private long left;
    private long unflushed;
    private long since = System.nanoTime();
    private int inTurn;
    private int requested;
    private boolean finishing;
    private boolean ended;

    /**
     * @param outbound completes when the last byte is flushed, or fails
     */
    RequestBodyWriter(StreamingRequestBody body, Channel channel, CoreSubscriber<? super Void> outbound) {
        this.body = body;
        this.channel = channel;
        this.loop = channel.eventLoop();
        this.outbound = outbound;
        this.left = body.framing().contentLength();
    }

    /** Called on the event loop. */
    void start() {
        // Otherwise a failed write closes the connection, and a response that has already arrived is lost.
        channel.config().setAutoClose(false);
        channel.closeFuture().addListener(onClose);
        outbound.onSubscribe(this);
        arm(body.deadlines().idle().toNanos());
        body.subscribe(this);
    }

    /** Stops sending; callable from any thread. */
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
                requestMore();
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
        // Only completion and errors are signalled.
    }

    @Override
    public void cancel() {
        stop();
    }

    private void take(ByteBuf piece) {
        int bytes = piece.readableBytes();
        requested--;
        if (ended || bytes > left) {
            piece.release();
            if (!ended) {
                fail(new IllegalStateException("the body is longer than announced"));
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
        requestMore();
    }

    /** Requests also after the last buffer: some publishers complete only on further demand. */
    private void requestMore() {
        if (ended || requested == PREFETCH || finishing || unflushed >= WINDOW) {
            return;
        }
        int more = PREFETCH - requested;
        requested = PREFETCH;
        if (inTurn < BYTES_PER_TURN) {
            pieces.request(more);
        } else {
            inTurn = 0;
            // Only a scheduled task, even if due, runs after the sockets were served.
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
        // In one write: otherwise the first might be flushed, and the body complete, before the second is known.
        write(Unpooled.wrappedBuffer(piece, end));
    }

    private void write(ByteBuf bytes) {
        if (unflushed == 0) {
            since = System.nanoTime();
        }
        unflushed += bytes.readableBytes();
        while (bytes.readableBytes() > SLICE) {
            send(bytes.readRetainedSlice(SLICE));
        }
        send(bytes);
        channel.flush();
    }

    private void send(ByteBuf bytes) {
        int count = bytes.readableBytes();
        channel.write(bytes).addListener(written -> flushed(count, written));
    }

    private void flushed(int bytes, Future<?> written) {
        unflushed -= bytes;
        since = System.nanoTime();
        if (!written.isSuccess()) {
            end();
        } else if (!ended && finishing && unflushed == 0) {
            body.completed();
            end();
            outbound.onComplete();
        } else {
            requestMore();
        }
    }

    private void fail(Throwable cause) {
        if (!ended) {
            end();
            outbound.onError(cause);
        }
    }

    private void arm(long nanos) {
        armed = HttpTimeouts.schedule(nanos, () -> loop.execute(this::checkTime));
    }

    private void checkTime() {
        if (ended) {
            return;
        }
        long idle = body.deadlines().idle().toNanos();
        long left = idle - (unflushed > 0 ? System.nanoTime() - since : 0);
        if (left > 0) {
            arm(left);
        } else {
            fail(body.deadlines().requestIdle());
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
        body.ended();
    }
}
