package io.millrace.gateway.s3.server;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;

/**
 * Removes the headers that Reactor Netty adds to {@code 100 Continue}. It adds {@code Connection: close} to it if the
 * client asked for that, and Node's parser then takes the response that follows for bytes after the end.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-15.2">RFC 9110, 15.2: Informational</a>
 */
@ChannelHandler.Sharable
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports the result to the caller's promise.
final class ContinueResponseHeaderRemover extends ChannelOutboundHandlerAdapter {
    static final ContinueResponseHeaderRemover INSTANCE = new ContinueResponseHeaderRemover();

    private ContinueResponseHeaderRemover() {}

    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        if (message instanceof HttpResponse response && response.status().code() == 100) {
            ReferenceCountUtil.release(message);
            context.write(
                    new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER),
                    promise);
        } else {
            context.write(message, promise);
        }
    }
}
