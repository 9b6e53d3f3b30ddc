package io.millrace.backend.http;

import io.netty.resolver.AbstractAddressResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.PromiseNotifier;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A name resolver that resolves servers reached directly, and leaves the names of servers reached through a proxy to
 * that proxy.
 */
final class TunnelAwareResolver extends AddressResolverGroup<InetSocketAddress> {
    private final AddressResolverGroup<InetSocketAddress> names;
    private final ProxyTunnel tunnel;

    /**
     * Creates a resolver.
     *
     * @param names does the lookups; the caller closes it
     */
    TunnelAwareResolver(AddressResolverGroup<InetSocketAddress> names, ProxyTunnel tunnel) {
        this.names = names;
        this.tunnel = tunnel;
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
        return new Selective(executor, names.getResolver(executor));
    }

    private final class Selective extends AbstractAddressResolver<InetSocketAddress> {
        private final AddressResolver<InetSocketAddress> resolver;

        Selective(EventExecutor executor, AddressResolver<InetSocketAddress> resolver) {
            super(executor, InetSocketAddress.class);
            this.resolver = resolver;
        }

        @Override
        protected boolean doIsResolved(InetSocketAddress address) {
            return tunnel.covers(address) || resolver.isResolved(address);
        }

        @Override
        protected void doResolve(InetSocketAddress address, Promise<InetSocketAddress> promise) {
            Future<InetSocketAddress> found = resolver.resolve(address);
            found.addListener(new PromiseNotifier<>(promise));
        }

        @Override
        protected void doResolveAll(InetSocketAddress address, Promise<List<InetSocketAddress>> promise) {
            Future<List<InetSocketAddress>> found = resolver.resolveAll(address);
            found.addListener(new PromiseNotifier<>(promise));
        }
    }
}
