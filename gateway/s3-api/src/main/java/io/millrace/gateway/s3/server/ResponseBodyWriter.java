package io.millrace.gateway.s3.server;

import io.millrace.backend.spi.BackendException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.FileRegion;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.ReferenceCounted;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.util.context.Context;

/**
 * Writes the body of a response to the socket, after its headers. It requests the next piece only while less than
 * {@link #WINDOW} waits for the socket. So a slow reader holds that much and one piece, whatever the object's size; of
 * a fill, two pages. Reactor Netty's own writer would request 128 pieces ahead.
 *
 * <p>The piece that completes the response is held back until the body completes without error. So a body that fails at
 * its very end, or is longer than announced, ends in a broken response and never in a wrong one that looks complete.
 *
 * <p>All state belongs to the channel's event loop; signals from other threads are queued there, in order.
 */
public final class ResponseBodyWriter implements CoreSubscriber<ReferenceCounted> {
    /** The limit of bytes waiting for the socket; with the send buffer, enough to keep a connection busy. */
    static final int WINDOW = 64 * 1024;

    /** The number of checks before a reader counts as stalled. */
    private static final int CHECKS = 4;

    private final Channel channel;
    private final long length;
    private final long stalledNanos;
    private final ReceivedRequest.Progress progress;
    private final MonoSink<Void> done;
    private final ChannelFutureListener onClose = closed -> fail(new ClientDisconnectedException());
    private Subscription upstream = Cancelled.INSTANCE;
    private long received;
    private long waiting;
    private long takenAt = System.nanoTime();
    private @Nullable Future<?> watch;
    private boolean outstanding;
    private @Nullable ReferenceCounted lastPiece;

    /** The file region that the kernel is sending; regions are so large that there is at most one. */
    private @Nullable FileRegion sending;

    /** The number of bytes of it that had been sent at the last check. */
    private long seen;

    private boolean sourceEnded;
    private boolean ended;

    /** Replaces the subscription before there is one and after it is cancelled. */
    private enum Cancelled implements Subscription {
        INSTANCE;

        @Override
        public void request(long n) {}

        @Override
        public void cancel() {}
    }

    private ResponseBodyWriter(
            Channel channel,
            long length,
            Duration stalledReaderTimeout,
            ReceivedRequest.Progress progress,
            MonoSink<Void> done) {
        this.channel = channel;
        this.length = length;
        this.stalledNanos = stalledReaderTimeout.toNanos();
        this.progress = progress;
        this.done = done;
    }

    /**
     * Writes {@code body}, which must emit exactly {@code length} bytes, or any number if that is -1: the last chunk is
     * sent by others then, if this completes. Completes after the socket has taken them. Fails and closes the
     * connection if the body fails, the client disconnects, or the client reads nothing for {@code
     * stalledReaderTimeout}. The body is always subscribed to, and cancelled if it is not read to its end.
     */
    public static Mono<Void> write(
            Channel channel, long length, Flux<? extends ReferenceCounted> body, Duration stalledReaderTimeout) {
        return write(channel, length, body, stalledReaderTimeout, new ReceivedRequest.Progress());
    }

    /** Writes {@code body} as the other method does, and follows it. */
    static Mono<Void> write(
            Channel channel,
            long length,
            Flux<? extends ReferenceCounted> body,
            Duration stalledReaderTimeout,
            ReceivedRequest.Progress progress) {
        return Mono.create(sink -> {
            ResponseBodyWriter writer = new ResponseBodyWriter(channel, length, stalledReaderTimeout, progress, sink);
            sink.onCancel(() -> writer.onLoop(() -> writer.fail(new ClientDisconnectedException())));
            channel.closeFuture().addListener(writer.onClose);
            writer.onLoop(writer::watch);
            body.subscribe(writer);
        });
    }

    @Override
    public Context currentContext() {
        return Context.of(done.contextView());
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        onLoop(() -> {
            if (ended) {
                subscription.cancel();
                return;
            }
            upstream = subscription;
            askForMore();
        });
    }

    @Override
    public void onNext(ReferenceCounted piece) {
        onLoop(() -> write(piece), piece);
    }

    @Override
    public void onError(Throwable failure) {
        onLoop(() -> fail(failure));
    }

    @Override
    public void onComplete() {
        onLoop(() -> {
            sourceEnded = true;
            writeLastPiece();
            finishIfAllIsWritten();
        });
    }

    private void write(ReferenceCounted piece) {
        outstanding = false;
        long size = size(piece);
        if (ended || size == 0) {
            piece.release();
            askForMore();
            return;
        }
        if (length >= 0 && received + size > length) {
            piece.release();
            fail(wrongLength("more"));
            return;
        }
        received += size;
        if (received == length) {
            lastPiece = piece;
        } else {
            writeOut(piece, size);
        }
        askForMore();
    }

    private void writeLastPiece() {
        ReferenceCounted piece = lastPiece;
        if (piece != null && !ended) {
            lastPiece = null;
            writeOut(piece, size(piece));
        }
    }

    private void writeOut(ReferenceCounted piece, long size) {
        if (progress.firstByteAt() == 0) {
            progress.firstByte();
        }
        if (waiting == 0) {
            takenAt = System.nanoTime();
        }
        waiting += size;
        if (piece instanceof FileRegion region) {
            sending = region;
            seen = 0;
        }
        Object message = piece instanceof ByteBuf bytes ? new DefaultHttpContent(bytes) : piece;
        channel.writeAndFlush(message).addListener((ChannelFuture f) -> written(f, piece, size));
    }

    private void written(ChannelFuture result, ReferenceCounted piece, long size) {
        waiting -= size;
        takenAt = System.nanoTime();
        if (sending == piece) {
            sending = null;
        }
        Throwable failure = result.cause();
        if (failure != null) {
            fail(ClientDisconnectedException.isCauseOf(failure) ? new ClientDisconnectedException() : failure);
            return;
        }
        progress.sent(size);
        askForMore();
        finishIfAllIsWritten();
    }

    private void askForMore() {
        if (!outstanding && !ended && !sourceEnded && waiting < WINDOW) {
            outstanding = true;
            upstream.request(1);
        }
    }

    private void finishIfAllIsWritten() {
        if (ended || !sourceEnded) {
            return;
        }
        if (received < length) {
            fail(wrongLength("less"));
        } else if (waiting == 0) {
            end();
            done.success();
        }
    }

    private void fail(Throwable failure) {
        if (ended) {
            return;
        }
        end();
        ReferenceCountUtil.release(lastPiece);
        lastPiece = null;
        upstream.cancel();
        upstream = Cancelled.INSTANCE;
        ChannelFuture unused = channel.close(); // the outcome does not matter, the connection is abandoned
        done.error(failure);
    }

    /** Fails the response if its reader is stalled, because it holds a backend connection that others may need. */
    private void watch() {
        if (ended) {
            return;
        }
        if (sending != null && sending.transferred() != seen) {
            // A part of the region may just have been sent.
            seen = sending.transferred();
            takenAt = System.nanoTime();
        }
        if (waiting > 0 && System.nanoTime() - takenAt >= stalledNanos) {
            fail(new ClientDisconnectedException());
        } else {
            watch = channel.eventLoop().schedule(this::watch, stalledNanos / CHECKS, TimeUnit.NANOSECONDS);
        }
    }

    private void end() {
        ended = true;
        if (watch != null) {
            watch.cancel(false);
        }
        channel.closeFuture().removeListener(onClose);
    }

    private static long size(ReferenceCounted piece) {
        return piece instanceof FileRegion region ? region.count() : ((ByteBuf) piece).readableBytes();
    }

    private BackendException wrongLength(String than) {
        return new BackendException(
                BackendException.FailureKind.INVALID_RESPONSE,
                "the body has %s than the announced %d bytes: %d so far".formatted(than, length, received));
    }

    private void onLoop(Runnable step) {
        if (channel.eventLoop().inEventLoop()) {
            step.run();
        } else {
            channel.eventLoop().execute(step);
        }
    }

    /** Runs a step that owns a piece; releases the piece if the event loop has shut down. */
    private void onLoop(Runnable step, ReferenceCounted owned) {
        try {
            onLoop(step);
        } catch (RejectedExecutionException loopIsGone) {
            owned.release();
        }
    }
}
