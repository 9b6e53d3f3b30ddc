package io.millrace.loadgen.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an S3 endpoint that carries one request at a time and is opened again when it was lost. It stays on
 * one event loop, on which all its methods are called and all listeners run.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures reach the listener of the request
public final class S3Connection {
    private final Bootstrap bootstrap;
    private final BucketAddress endpoint;
    private final EventLoop loop;
    private @Nullable RequestResponseHandler open;

    S3Connection(Bootstrap bootstrap, BucketAddress endpoint, EventLoop loop) {
        this.bootstrap = bootstrap;
        this.endpoint = endpoint;
        this.loop = loop;
    }

    /** Sends a request, after opening the connection if needed. The previous request must have ended. */
    public void send(OutgoingRequest request, ResponseListener listener) {
        if (open != null && open.isUsable()) {
            open.send(request, listener);
            return;
        }
        ChannelFuture connecting = bootstrap.connect(endpoint.address(), endpoint.port());
        connecting.addListener(done -> {
            if (done.isSuccess()) {
                RequestResponseHandler handler = connecting.channel().pipeline().get(RequestResponseHandler.class);
                open = handler;
                handler.send(request, listener);
            } else {
                listener.onFailure(done.cause());
            }
        });
    }

    /** Runs a task on the event loop, now or after a delay. */
    public void schedule(Runnable task, long nanos) {
        if (nanos <= 0) {
            loop.execute(task);
        } else {
            loop.schedule(task, nanos, TimeUnit.NANOSECONDS);
        }
    }

    /** Closes the connection; a request in progress fails. */
    public void close() {
        if (open != null) {
            open.close();
        }
    }
}
