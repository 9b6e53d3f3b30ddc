package io.millrace.gateway.s3.connection;

import io.millrace.auth.policy.RequestSource;
import io.millrace.auth.policy.TrustedProxies;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.tls.TlsPipeline;
import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** The source of a connection's requests: its peer, or the client that the peer names if it is a declared proxy. */
public final class ConnectionSource {
    /** Only connections of declared proxies have it, so that the requests of others cost no search in ranges. */
    private static final AttributeKey<TrustedProxies> PROXIES = AttributeKey.valueOf("millrace.proxies");

    private ConnectionSource() {}

    /** Lets the peer of a new connection name its clients if it is a declared proxy. */
    public static void declare(Channel channel, TrustedProxies proxies) {
        if (proxies.contains(peer(channel))) {
            channel.attr(PROXIES).set(proxies);
        }
    }

    /** Returns the source of a request with these headers. */
    public static RequestSource of(Channel channel, RequestHeaders headers) {
        RequestSource connection = new RequestSource(peer(channel), TlsPipeline.isEncrypted(channel));
        return channel.hasAttr(PROXIES)
                ? channel.attr(PROXIES)
                        .get()
                        .source(
                                connection,
                                headers.all(TrustedProxies.FORWARDED_FOR),
                                headers.all(TrustedProxies.FORWARDED_PROTO))
                : connection;
    }

    /** Returns the address of the peer; null if the connection has none. */
    static @Nullable InetAddress peer(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress peer ? peer.getAddress() : null;
    }
}
