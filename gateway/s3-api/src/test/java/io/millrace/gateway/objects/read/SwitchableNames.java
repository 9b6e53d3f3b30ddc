package io.millrace.gateway.objects.read;

import io.netty.resolver.AbstractAddressResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A name service that knows every host as the loopback address, or none. */
final class SwitchableNames extends AddressResolverGroup<InetSocketAddress> {
    private final AtomicLong lookups = new AtomicLong();
    private volatile boolean known = true;

    void remove() {
        known = false;
    }

    void restore() {
        known = true;
    }

    /** Returns the number of lookups, failed ones included. */
    long lookups() {
        return lookups.get();
    }

    @Override
    protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
        return new AbstractAddressResolver<>(executor, InetSocketAddress.class) {
            @Override
            protected boolean doIsResolved(InetSocketAddress address) {
                return !address.isUnresolved();
            }

            @Override
            protected void doResolve(InetSocketAddress name, Promise<InetSocketAddress> promise) {
                lookups.incrementAndGet();
                if (known) {
                    promise.setSuccess(new InetSocketAddress(InetAddress.getLoopbackAddress(), name.getPort()));
                } else {
                    promise.setFailure(new UnknownHostException(name.getHostString()));
                }
            }

            @Override
            protected void doResolveAll(InetSocketAddress name, Promise<List<InetSocketAddress>> promise) {
                Promise<InetSocketAddress> one = executor.newPromise();
                one.addListener(found -> {
                    if (found.isSuccess()) {
                        promise.setSuccess(List.of(one.getNow()));
                    } else {
                        promise.setFailure(found.cause());
                    }
                });
                doResolve(name, one);
            }
        };
    }
}
