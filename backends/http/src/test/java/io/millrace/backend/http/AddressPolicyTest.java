package io.millrace.backend.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.resolver.DefaultAddressResolverGroup;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Only public addresses and those that the operator named are connected to. */
class AddressPolicyTest {
    private static final AddressPolicy NOTHING_MORE = new AddressPolicy(List.of(), "a.setting");

    @Test
    void mappedAddressCountsAsIpv4() throws IOException {
        byte[] mapped = new byte[16];
        mapped[10] = -1;
        mapped[11] = -1;
        mapped[12] = 127;
        mapped[15] = 1;
        InetAddress address = Inet6Address.getByAddress("x", mapped, 0);

        assertThat(NOTHING_MORE.permits(address)).isFalse();
        assertThat(NOTHING_MORE.permits(InetAddress.getByAddress(mapped))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "126.255.255.255", "128.0.0.1",
                "172.15.255.255", "172.32.0.1", "192.167.1.1", "192.169.0.1", "198.17.0.1", "198.20.0.1",
                        "223.255.255.255",
                "2606:4700::1111", "2a00:1450:4001:81b::200e", "2001:4860:4860::8888", "2600::"
            })
    void allowsPublicAddresses(String address) throws IOException {
        assertThat(NOTHING_MORE.permits(address(address))).isTrue();
    }

    /** The connection itself is refused, whatever resolved the address. */
    @Test
    void checksAddressAtConnect() {
        EmbeddedChannel channel = new EmbeddedChannel(new AddressCheckHandler(NOTHING_MORE, Optional.empty()));

        assertThat(channel.connect(new InetSocketAddress(address("127.0.0.1"), 1))
                        .cause())
                .isInstanceOf(ForbiddenAddressException.class);
        assertThat(channel.connect(InetSocketAddress.createUnresolved("localhost", 1))
                        .cause())
                .isInstanceOf(ForbiddenAddressException.class);
        channel.finishAndReleaseAll();
    }

    /** The proxy resolves names, so only what stands in a URL can be checked. */
    @ParameterizedTest
    @CsvSource({
        "files.example.org, true",
        "1.1.1.1, true",
        "127.0.0.1, false",
        "::1, false",
        "direct.example.org, false"
    })
    void checksLiteralAddressesWithProxy(String host, boolean permitted) {
        ProxySettings proxy = new ProxySettings(
                URI.create("http://proxy.example.org:3128"),
                Optional.empty(),
                Optional.empty(),
                List.of(new HostPattern("direct.example.org")));
        ProxyTunnel tunnel = new ProxyTunnel(proxy, DefaultAddressResolverGroup.INSTANCE, Duration.ofSeconds(1));
        EmbeddedChannel channel = new EmbeddedChannel(new AddressCheckHandler(NOTHING_MORE, Optional.of(tunnel)));

        assertThat(channel.connect(InetSocketAddress.createUnresolved(host, 1)).isSuccess())
                .isEqualTo(permitted);
        channel.finishAndReleaseAll();
    }

    private static InetAddress address(String text) {
        return Objects.requireNonNull(NetUtil.createInetAddressFromIpAddressString(text));
    }
}
