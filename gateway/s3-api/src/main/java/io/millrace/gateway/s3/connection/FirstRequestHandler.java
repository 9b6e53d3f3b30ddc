package io.millrace.gateway.s3.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.HttpRequest;
import java.util.function.Consumer;

/**
 * A channel handler that waits for the first request of a connection, which then gives way to others only while it is
 * idle, and costs later ones nothing.
 */
final class FirstRequestHandler extends ChannelInboundHandlerAdapter {
    private final Consumer<Channel> onFirst;

    FirstRequestHandler(Consumer<Channel> onFirst) {
        this.onFirst = onFirst;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest) {
            onFirst.accept(context.channel());
            context.pipeline().remove(this);
        }
        context.fireChannelRead(message);
    }
}
