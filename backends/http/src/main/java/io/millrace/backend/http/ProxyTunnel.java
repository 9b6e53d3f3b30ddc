package io.millrace.backend.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.proxy.HttpProxyHandler;
import io.netty.handler.proxy.ProxyConnectException;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.FutureListener;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.netty.NettyPipeline;

/**
 * Leads connections through an HTTP proxy, by CONNECT. The proxy resolves the names of the servers; the proxy's own
 * name is resolved for each connection.
 */
final class ProxyTunnel {
    private final ProxySettings settings;
    private final AddressResolverGroup<InetSocketAddress> names;
    private final long timeoutMillis;

    /**
     * Creates a tunnel.
     *
     * @param names resolves the name of the proxy; the caller closes it
     * @param timeout until the proxy has connected to the server
     */
    ProxyTunnel(ProxySettings settings, AddressResolverGroup<InetSocketAddress> names, Duration timeout) {
        this.settings = settings;
        this.names = names;
        this.timeoutMillis = timeout.toMillis();
    }

    /** Returns whether connections to this address go through the proxy. */
    boolean covers(@Nullable SocketAddress server) {
        return server instanceof InetSocketAddress address && settings.covers(address.getHostString());
    }

    /**
     * Adds the handlers of the tunnel in front of a new connection's others, if its server is reached through the
     * proxy.
     */
    void install(Channel channel, @Nullable SocketAddress server) {
        if (!covers(server)) {
            return;
        }
        HttpProxyHandler connect = settings.username().isPresent()
                ? new HttpProxyHandler(
                        settings.address(),
                        settings.username().get(),
                        settings.password().orElseThrow().reveal())
                : new HttpProxyHandler(settings.address());
        connect.setConnectTimeoutMillis(timeoutMillis);
        channel.pipeline()
                .addFirst(NettyPipeline.ProxyHandler, connect)
                .addFirst("proxy-address", new ProxyAddressResolution());
    }

    /**
     * A channel handler that resolves the address of the proxy before it is connected to, and names the proxy in
     * failures.
     */
    private final class ProxyAddressResolution extends ChannelOutboundHandlerAdapter {
        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // The promise's creator is notified.
        public void connect(
                ChannelHandlerContext context, SocketAddress proxy, SocketAddress local, ChannelPromise promise) {
            AddressResolver<InetSocketAddress> resolver = names.getResolver(context.executor());
            resolver.resolve(proxy).addListener((FutureListener<InetSocketAddress>) found -> {
                if (found.isSuccess()) {
                    connect(context, found.getNow(), local, promise);
                } else {
                    promise.tryFailure(unreachable(found.cause()));
                }
            });
        }

        private void connect(
                ChannelHandlerContext context, InetSocketAddress proxy, SocketAddress local, ChannelPromise promise) {
            context.connect(proxy, local).addListener(connected -> {
                if (connected.isSuccess()) {
                    promise.trySuccess();
                } else {
                    promise.tryFailure(unreachable(connected.cause()));
                }
            });
        }

        private ProxyConnectException unreachable(Throwable cause) {
            return new ProxyConnectException("%s cannot be reached".formatted(settings.url()), cause);
        }
    }
}
