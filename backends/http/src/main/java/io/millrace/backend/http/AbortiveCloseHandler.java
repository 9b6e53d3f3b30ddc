package io.millrace.backend.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.LastHttpContent;

/**
 * A channel handler that closes the connection by a TCP reset if it is closed in the middle of a request. Some servers
 * take an orderly close of the connection or of TLS for the end of the body, whatever its Content-Length, and overwrite
 * the object with a part. SO_LINGER is set while a body is sent, because the kernel closes the sockets of a killed
 * process.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The promise's creator is notified.
final class AbortiveCloseHandler extends ChannelOutboundHandlerAdapter {
    /** The default of the kernel. */
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
            // Skip the TLS handler, which would send close_notify.
            context.pipeline().firstContext().close(promise);
        } else {
            context.close(promise);
        }
    }
}
