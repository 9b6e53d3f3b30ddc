package io.millrace.gateway.jobs.fetch;

import io.netty.resolver.AbstractAddressResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.FutureListener;
import io.netty.util.concurrent.Promise;
import java.net.InetSocketAddress;
import java.util.List;

/** Looks names up elsewhere, and tells only those of their addresses that may be connected to. */
final class CheckedAddressResolver extends AddressResolverGroup<InetSocketAddress> {
    private final AddressResolverGroup<InetSocketAddress> names;
    private final AddressPolicy rule;

    /** @param names which is closed with this one */
    CheckedAddressResolver(AddressResolverGroup<InetSocketAddress> names, AddressPolicy rule) {
        this.names = names;
        this.rule = rule;
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

        /** Of none it is said: what was not looked up is checked too. */
        @Override
        protected boolean doIsResolved(InetSocketAddress address) {
            return false;
        }

        @Override
        protected void doResolve(InetSocketAddress asked, Promise<InetSocketAddress> answer) {
            Promise<List<InetSocketAddress>> all = executor().newPromise();
            all.addListener((FutureListener<List<InetSocketAddress>>) found -> {
                if (found.isSuccess()) {
                    answer.trySuccess(found.getNow().get(0));
                } else {
                    answer.tryFailure(found.cause());
                }
            });
            doResolveAll(asked, all);
        }

        @Override
        protected void doResolveAll(InetSocketAddress asked, Promise<List<InetSocketAddress>> answer) {
            if (!asked.isUnresolved()) {
                tell(asked, List.of(asked), answer);
                return;
            }
            Future<List<InetSocketAddress>> looking = resolver.resolveAll(asked);
            looking.addListener((FutureListener<List<InetSocketAddress>>) found -> {
                if (found.isSuccess()) {
                    tell(asked, found.getNow(), answer);
                } else {
                    answer.tryFailure(found.cause());
                }
            });
        }

        private void tell(
                InetSocketAddress asked, List<InetSocketAddress> found, Promise<List<InetSocketAddress>> answer) {
            List<InetSocketAddress> open = found.stream()
                    .filter(address -> !address.isUnresolved() && rule.permits(address.getAddress()))
                    .toList();
            if (open.isEmpty()) {
                answer.tryFailure(new ForbiddenAddressException(found.isEmpty() ? asked : found.get(0)));
            } else {
                answer.trySuccess(open);
            }
        }

        @Override
        public void close() {
            resolver.close();
        }
    }
}
