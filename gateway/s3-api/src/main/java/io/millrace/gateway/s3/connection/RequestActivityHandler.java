package io.millrace.gateway.s3.connection;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * A channel handler that says whether a request of a connection is in progress. One whose response waits for its client to take
 * it is idle: who takes nothing must not keep others out either.
 *
 * <p>One per connection, placed after the codec.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the promise reports the result
final class RequestActivityHandler extends ChannelDuplexHandler {
    private final IdleConnections idle;
    private final long network;
    private int outstanding;

    RequestActivityHandler(IdleConnections idle, long network) {
        this.idle = idle;
        this.network = network;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest) {
            outstanding++;
            idle.remove(context.channel());
        }
        context.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        boolean isInterim =
                message instanceof HttpResponse response && response.status().code() < 200;
        if (message instanceof LastHttpContent && !isInterim && --outstanding == 0) {
            idle.add(context.channel(), network);
        }
        context.write(message, promise);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        idle.remove(context.channel());
        context.fireChannelInactive();
    }
}
