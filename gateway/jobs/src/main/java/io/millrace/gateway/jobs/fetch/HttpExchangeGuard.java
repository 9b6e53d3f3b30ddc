package io.millrace.gateway.jobs.fetch;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A channel handler that guards one connection to a web server. It checks the address at connect, whatever resolved it;
 * enforces the first-byte timeout, and the idle timeout while a reader waits; and matches responses to requests. It
 * swallows interim responses, and closes the connection on unrequested bytes, which the next request would take for its
 * response. Used by the connection's event loop only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The promise's creator is notified.
final class HttpExchangeGuard extends ChannelDuplexHandler {
    private enum State {
        IDLE,
        ASKED,
        INTERIM,
        ANSWERING,
        BROKEN
    }

    private final AddressPolicy policy;
    private final Duration firstByte;
    private final Duration idle;
    private State state = State.IDLE;
    private boolean wanted;
    private boolean onlyDropped;
    private long since;
    private @Nullable Future<?> due;

    HttpExchangeGuard(AddressPolicy policy, Duration firstByte, Duration idle) {
        this.policy = policy;
        this.firstByte = firstByte;
        this.idle = idle;
    }

    @Override
    public void connect(
            ChannelHandlerContext context, SocketAddress remote, SocketAddress local, ChannelPromise promise) {
        if (remote instanceof InetSocketAddress address
                && !address.isUnresolved()
                && policy.permits(address.getAddress())) {
            context.connect(remote, local, promise);
        } else {
            promise.tryFailure(new ForbiddenAddressException(remote));
        }
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof HttpRequest && state != State.BROKEN) {
            state = State.ASKED;
            since = System.nanoTime();
            watch(context, firstByte);
        }
        context.write(message, promise);
    }

    @Override
    public void read(ChannelHandlerContext context) {
        if (!wanted) {
            wanted = true;
            since = state == State.ANSWERING ? System.nanoTime() : since;
        }
        context.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (state == State.BROKEN) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof HttpObject object
                && object.decoderResult().isFailure()) {
            ReferenceCountUtil.release(message);
            giveUp(
                    context,
                    new IOException("invalid HTTP: " + object.decoderResult().cause()));
        } else if (message instanceof HttpResponse head) {
            head(context, head);
        } else if (message instanceof HttpContent content) {
            content(context, content);
        } else {
            context.fireChannelRead(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        wanted = false;
        since = state == State.ANSWERING ? System.nanoTime() : since;
        boolean again = onlyDropped;
        onlyDropped = false;
        context.fireChannelReadComplete();
        if (again && state != State.BROKEN) {
            context.read();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        unwatch();
        context.fireChannelInactive();
    }

    private void head(ChannelHandlerContext context, HttpResponse head) {
        if (state != State.ASKED) {
            ReferenceCountUtil.release(head);
            giveUp(context, new IOException("a response without a request"));
        } else if (head.status().codeClass() == HttpStatusClass.INFORMATIONAL) {
            state = State.INTERIM;
            onlyDropped = true;
            ReferenceCountUtil.release(head);
        } else {
            state = State.ANSWERING;
            onlyDropped = false;
            watch(context, idle);
            context.fireChannelRead(head);
        }
    }

    private void content(ChannelHandlerContext context, HttpContent content) {
        boolean last = content instanceof LastHttpContent;
        if (state == State.INTERIM) {
            state = last ? State.ASKED : State.INTERIM;
            onlyDropped = true;
            ReferenceCountUtil.release(content);
        } else if (state == State.ANSWERING) {
            if (last) {
                // Change the state first: the end of a response may trigger the next request.
                state = State.IDLE;
                unwatch();
            }
            context.fireChannelRead(content);
        } else {
            ReferenceCountUtil.release(content);
            giveUp(context, new IOException("bytes after the end of a response"));
        }
    }

    private void watch(ChannelHandlerContext context, Duration time) {
        unwatch();
        arm(context, time, time.toNanos());
    }

    private void arm(ChannelHandlerContext context, Duration time, long nanos) {
        due = context.executor().schedule(() -> look(context, time), nanos, TimeUnit.NANOSECONDS);
    }

    /** Checks the timeout; time without demand of the reader does not count. */
    private void look(ChannelHandlerContext context, Duration time) {
        boolean waits = state != State.ANSWERING || wanted;
        long left = time.toNanos() - (waits ? System.nanoTime() - since : 0);
        if (left > 0) {
            arm(context, time, left);
        } else if (state != State.IDLE && state != State.BROKEN) {
            giveUp(
                    context,
                    new TimeoutException("no data for %s ms %s"
                            .formatted(
                                    time.toMillis(), state == State.ANSWERING ? "in the middle of the response" : "")));
        }
    }

    private void unwatch() {
        Future<?> armed = due;
        if (armed != null) {
            armed.cancel(false);
            due = null;
        }
    }

    private void giveUp(ChannelHandlerContext context, Exception reason) {
        boolean awaited = state != State.IDLE;
        state = State.BROKEN;
        unwatch();
        if (awaited) {
            context.fireExceptionCaught(reason);
        }
        context.close();
    }
}
