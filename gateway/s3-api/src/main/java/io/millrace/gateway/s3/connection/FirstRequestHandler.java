package io.millrace.gateway.s3.connection;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;

/**
 * A channel handler that waits for the first request of a connection, which then no longer gives way to others, and costs later
 * ones nothing.
 */
final class FirstRequestHandler extends ChannelInboundHandlerAdapter {
    private final IdleConnections unused;

    FirstRequestHandler(IdleConnections unused) {
        this.unused = unused;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest) {
            unused.remove(context.channel());
            context.pipeline().remove(this);
        }
        context.fireChannelRead(message);
    }
}
