package io.millrace.backend.s3;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * Closes a connection in the middle of a request by a reset. There are servers to which an orderly end of the connection, or of
 * TLS, is the end of the body, whatever length they were told: they store what has come, over what was there.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty tells whoever made the promise.
final class CutOff extends ChannelOutboundHandlerAdapter {
    private boolean inRequest;

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof HttpRequest) {
            inRequest = true;
        }
        if (message instanceof LastHttpContent) {
            inRequest = false;
        }
        context.write(message, promise);
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        if (inRequest) {
            context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
            // Around TLS, which would take its leave.
            context.pipeline().firstContext().close(promise);
        } else {
            context.close(promise);
        }
    }
}
