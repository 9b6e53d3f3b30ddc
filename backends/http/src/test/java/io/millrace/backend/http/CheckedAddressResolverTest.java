package io.millrace.backend.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.resolver.InetSocketAddressResolver;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Of the addresses of a name, only the permitted ones are connected to. */
class CheckedAddressResolverTest {
    private static final InetSocketAddress NAME = InetSocketAddress.createUnresolved("files.example.org", 443);

    @Test
    void privateAddressBesideAPublicOneIsDropped() {
        try (AddressResolverGroup<InetSocketAddress> names = checked("10.0.0.1", "1.1.1.1")) {
            AddressResolver<InetSocketAddress> resolver = names.getResolver(ImmediateEventExecutor.INSTANCE);

            assertThat(resolver.resolveAll(NAME).getNow()).containsExactly(address("1.1.1.1"));
            assertThat(resolver.resolve(NAME).getNow()).isEqualTo(address("1.1.1.1"));
        }
    }

    @Test
    void nameOfPrivateAddressesOnlyIsRefused() {
        try (AddressResolverGroup<InetSocketAddress> names = checked("10.0.0.1", "::1")) {
            AddressResolver<InetSocketAddress> resolver = names.getResolver(ImmediateEventExecutor.INSTANCE);

            assertThat(resolver.resolveAll(NAME).cause())
                    .isInstanceOf(ForbiddenAddressException.class)
                    .hasMessageContaining("10.0.0.1");
        }
    }

    /** Returns a resolver that finds these addresses for each name, and drops what is not public. */
    private static AddressResolverGroup<InetSocketAddress> checked(String... addresses) {
        List<InetAddress> all = Stream.of(addresses)
                .map(text -> Objects.requireNonNull(NetUtil.createInetAddressFromIpAddressString(text)))
                .toList();
        AddressResolverGroup<InetSocketAddress> names = new AddressResolverGroup<>() {
            @Override
            protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
                return new InetSocketAddressResolver(executor, new FixedNames(executor, all));
            }
        };
        return new CheckedAddressResolver(names, new AddressPolicy(List.of(), "a.setting"), Optional.empty());
    }

    private static InetSocketAddress address(String text) {
        return new InetSocketAddress(
                Objects.requireNonNull(NetUtil.createInetAddressFromIpAddressString(text)), NAME.getPort());
    }

    /** A name service in which every name has the same addresses. */
    private static final class FixedNames extends InetNameResolver {
        private final List<InetAddress> addresses;

        FixedNames(EventExecutor executor, List<InetAddress> addresses) {
            super(executor);
            this.addresses = addresses;
        }

        @Override
        protected void doResolve(String name, Promise<InetAddress> promise) {
            promise.setSuccess(addresses.get(0));
        }

        @Override
        protected void doResolveAll(String name, Promise<List<InetAddress>> promise) {
            promise.setSuccess(addresses);
        }
    }
}
