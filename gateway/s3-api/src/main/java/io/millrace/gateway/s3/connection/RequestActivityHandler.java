package io.millrace.gateway.s3.connection;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * A channel handler that says whether a request of a connection is in progress. The connection is idle once the last
 * byte of its last response was handed to the socket.
 *
 * <p>One per connection, placed after the codec.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the promise reports the result
final class RequestActivityHandler extends ChannelDuplexHandler {
    private final IdleConnections idle;
    private final long network;

    /** The number of requests whose response is not complete yet. */
    private int outstanding;

    /** The number of complete responses of which not all bytes have been handed to the socket. */
    private int unsent;

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
        if (!(message instanceof LastHttpContent) || isInterim) {
            context.write(message, promise);
            return;
        }
        outstanding--;
        unsent++;
        if (outstanding == 0) {
            idle.addSending(context.channel(), network);
        }
        context.write(message, promise.unvoid().addListener(sent -> noteSent(context.channel())));
    }

    private void noteSent(Channel channel) {
        unsent--;
        if (outstanding == 0 && unsent == 0) {
            idle.add(channel, network);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        idle.remove(context.channel());
        context.fireChannelInactive();
    }
}
