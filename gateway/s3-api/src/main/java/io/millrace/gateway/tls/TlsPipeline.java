package io.millrace.gateway.tls;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import reactor.netty.NettyPipeline;

/** Adds TLS to the connections of a server. */
public final class TlsPipeline {
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);

    private TlsPipeline() {}

    /**
     * Puts TLS in front of a new connection's handlers. A handshake that fails or takes over 10 seconds closes the
     * connection.
     */
    public static void install(Channel channel, SslContext context) {
        install(channel, context, HANDSHAKE_TIMEOUT, () -> {});
    }

    /**
     * Puts TLS in front of a new connection's handlers. A handshake that fails or takes too long closes the connection.
     *
     * @param onFailure called once if the handshake fails
     */
    public static void install(Channel channel, SslContext context, Duration handshakeTimeout, Runnable onFailure) {
        SslHandler tls = context.newHandler(channel.alloc());
        tls.setHandshakeTimeoutMillis(handshakeTimeout.toMillis());
        ChannelPipeline pipeline = channel.pipeline();
        pipeline.addFirst(NettyPipeline.SslHandler, tls);
        pipeline.addAfter(NettyPipeline.SslHandler, "millrace.handshake", new HandshakeFailureHandler(onFailure));
    }

    /** Returns whether a connection is encrypted, so that file regions cannot be sent on it. */
    public static boolean isEncrypted(Channel channel) {
        return channel.pipeline().first() instanceof SslHandler;
    }
}
