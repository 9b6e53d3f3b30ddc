package io.millrace.backend.s3;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * Closes a connection in the middle of a request by a reset. There are servers to which an orderly end of the connection, or of
 * TLS, is the end of the body, whatever length they were told: they store what has come, over what was there. While a body is
 * going out the kernel is told so beforehand, since it closes the sockets of a process that was killed.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Netty tells whoever made the promise.
final class CutOff extends ChannelOutboundHandlerAdapter {
    /** What the kernel does by itself. */
    private static final int ORDERLY = -1;

    private static final int RESET = 0;

    private boolean inRequest;
    private boolean inBody;

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof HttpRequest request) {
            inRequest = true;
            inBody = HttpUtil.getContentLength(request, 0L) > 0;
            if (inBody) {
                context.channel().config().setOption(ChannelOption.SO_LINGER, RESET);
            }
        }
        if (message instanceof LastHttpContent) {
            inRequest = false;
            if (inBody) {
                inBody = false;
                context.channel().config().setOption(ChannelOption.SO_LINGER, ORDERLY);
            }
        }
        context.write(message, promise);
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
        if (inRequest) {
            context.channel().config().setOption(ChannelOption.SO_LINGER, RESET);
            // Around TLS, which would take its leave.
            context.pipeline().firstContext().close(promise);
        } else {
            context.close(promise);
        }
    }
}
