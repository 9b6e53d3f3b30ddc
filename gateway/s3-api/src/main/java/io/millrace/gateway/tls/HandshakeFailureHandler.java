package io.millrace.gateway.tls;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A channel handler that closes a connection whose TLS handshake fails, with one line in the log at debug level: any
 * scan of ports causes it.
 */
final class HandshakeFailureHandler extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger(HandshakeFailureHandler.class);

    private final Runnable onFailure;

    /** @param onFailure called once if the handshake fails */
    HandshakeFailureHandler(Runnable onFailure) {
        this.onFailure = onFailure;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            if (handshake.isSuccess()) {
                context.pipeline().remove(this);
            } else {
                onFailure.run();
            }
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the connection is abandoned
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
        log.debug("TLS handshake with {} failed: {}", context.channel().remoteAddress(), failure.getMessage());
        context.close();
    }
}
