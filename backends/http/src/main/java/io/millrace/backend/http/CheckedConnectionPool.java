package io.millrace.backend.http;

import io.netty.resolver.AddressResolverGroup;
import java.net.InetSocketAddress;
import reactor.core.publisher.Mono;
import reactor.netty.NettyPipeline;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.client.HttpClient;

/**
 * A pool of connections to addresses that a policy permits. The policy checks each address that a name resolves to, and
 * once more the one that is connected to. Behind a proxy, only addresses that stand in URLs are checked, because the
 * proxy resolves the names.
 */
public final class CheckedConnectionPool {
    private final HttpConnectionPool pool;
    private final CheckedAddressResolver resolver;
    private final HttpRequestSender plain;
    private final HttpRequestSender secure;

    /**
     * Creates the pool without opening a connection.
     *
     * @throws IllegalArgumentException if a file of the settings cannot be used; the message says what to do
     */
    public CheckedConnectionPool(HttpPoolSettings settings, AddressPolicy policy) {
        this(
                settings,
                policy,
                HttpConnectionPool.nameResolver(),
                OutboundTls.client(settings.outbound().tls()));
    }

    /**
     * Creates the pool without opening a connection.
     *
     * @param names does the lookups; closed with this pool
     */
    public CheckedConnectionPool(
            HttpPoolSettings settings,
            AddressPolicy policy,
            AddressResolverGroup<InetSocketAddress> names,
            Http11SslContextSpec tls) {
        this.pool = new HttpConnectionPool(settings);
        this.resolver = new CheckedAddressResolver(names, policy, pool.tunnel());
        HttpClient checked = pool.client()
                .resolver(resolver)
                .doOnChannelInit((observer, channel, address) -> channel.pipeline()
                        .addAfter(
                                NettyPipeline.HttpCodec, "addresses", new AddressCheckHandler(policy, pool.tunnel())));
        this.plain = new HttpRequestSender(checked);
        this.secure = new HttpRequestSender(pool.secured(checked, tls));
    }

    /**
     * Returns the sender of requests.
     *
     * @param tls whether its connections use TLS
     */
    public HttpRequestSender sender(boolean tls) {
        return tls ? secure : plain;
    }

    /** Closes all connections, also those in use. */
    public Mono<Void> close() {
        return pool.close().doFinally(end -> resolver.close());
    }
}
