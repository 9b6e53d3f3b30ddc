package io.millrace.backend.http;

import io.netty.resolver.AbstractAddressResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/** Resolves host names and drops addresses that the policy forbids. */
final class CheckedAddressResolver extends AddressResolverGroup<InetSocketAddress> {
    private final AddressResolverGroup<InetSocketAddress> names;
    private final AddressPolicy policy;
    private final Optional<ProxyTunnel> tunnel;

    /**
     * Creates a resolver.
     *
     * @param names does the lookups; closed with this resolver
     * @param tunnel resolves names itself
     */
    CheckedAddressResolver(
            AddressResolverGroup<InetSocketAddress> names, AddressPolicy policy, Optional<ProxyTunnel> tunnel) {
        this.names = names;
        this.policy = policy;
        this.tunnel = tunnel;
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
        return new Checked(executor, names.getResolver(executor));
    }

    @Override
    public void close() {
        super.close();
        names.close();
    }

    private final class Checked extends AbstractAddressResolver<InetSocketAddress> {
        private final AddressResolver<InetSocketAddress> resolver;

        Checked(EventExecutor executor, AddressResolver<InetSocketAddress> resolver) {
            super(executor, InetSocketAddress.class);
            this.resolver = resolver;
        }

        /** Always false, so that literal addresses are checked too. */
        @Override
        protected boolean doIsResolved(InetSocketAddress address) {
            return false;
        }

        @Override
        protected void doResolve(InetSocketAddress requested, Promise<InetSocketAddress> promise) {
            Promise<List<InetSocketAddress>> all = executor().newPromise();
            all.addListener((FutureListener<List<InetSocketAddress>>) found -> {
                if (found.isSuccess()) {
                    promise.trySuccess(found.getNow().get(0));
                } else {
                    promise.tryFailure(found.cause());
                }
            });
            doResolveAll(requested, all);
        }

        @Override
        protected void doResolveAll(InetSocketAddress requested, Promise<List<InetSocketAddress>> promise) {
            if (tunnel.filter(through -> through.covers(requested)).isPresent()) {
                promise.trySuccess(List.of(requested));
                return;
            }
            if (!requested.isUnresolved()) {
                complete(requested, List.of(requested), promise);
                return;
            }
            Future<List<InetSocketAddress>> lookup = resolver.resolveAll(requested);
            lookup.addListener((FutureListener<List<InetSocketAddress>>) found -> {
                if (found.isSuccess()) {
                    complete(requested, found.getNow(), promise);
                } else {
                    promise.tryFailure(found.cause());
                }
            });
        }

        private void complete(
                InetSocketAddress requested, List<InetSocketAddress> found, Promise<List<InetSocketAddress>> promise) {
            List<InetSocketAddress> permitted = found.stream()
                    .filter(address -> !address.isUnresolved() && policy.permits(address.getAddress()))
                    .toList();
            if (permitted.isEmpty()) {
                promise.tryFailure(policy.refuse(found.isEmpty() ? requested : found.get(0)));
            } else {
                promise.trySuccess(permitted);
            }
        }

        @Override
        public void close() {
            resolver.close();
        }
    }
}
