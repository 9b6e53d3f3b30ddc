package io.millrace.backend.s3;

import io.netty.resolver.AbstractAddressResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.List;

/** A name resolver that resolves every host to one server address. */
final class FixedAddressResolver extends AddressResolverGroup<InetSocketAddress> {
    private final InetSocketAddress server;

    FixedAddressResolver(InetSocketAddress server) {
        this.server = server;
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
        return new AbstractAddressResolver<>(executor, InetSocketAddress.class) {
            @Override
            protected boolean doIsResolved(InetSocketAddress address) {
                return address.equals(server);
            }

            @Override
            protected void doResolve(InetSocketAddress name, Promise<InetSocketAddress> promise) {
                promise.setSuccess(server);
            }

            @Override
            protected void doResolveAll(InetSocketAddress name, Promise<List<InetSocketAddress>> promise) {
                promise.setSuccess(List.of(server));
            }
        };
    }
}
