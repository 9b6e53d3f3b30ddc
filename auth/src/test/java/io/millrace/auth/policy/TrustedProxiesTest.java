package io.millrace.auth.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests whom a request's headers are believed about: only declared proxies, and of their words only what they added.
 */
class TrustedProxiesTest {
    private final TrustedProxies proxies = new TrustedProxies(
            Stream.of("10.0.0.0/8", "2001:db8::/32").map(IpRange::parse).toList());

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    203.0.113.9                            | 203.0.113.9
                    1.1.1.1, 203.0.113.9                   | 203.0.113.9
                    1.1.1.1, 203.0.113.9, 10.1.2.3         | 203.0.113.9
                    1.1.1.1,203.0.113.9 ,\t10.1.2.3,10.0.0.1 | 203.0.113.9
                    203.0.113.9:4711, [2001:db8::1]:443    | 203.0.113.9
                    2001:db9::7, 2001:db8::1               | 2001:db9:0:0:0:0:0:7
                    ::ffff:203.0.113.9                     | 203.0.113.9
                    203.0.113.9, ::ffff:10.0.0.1           | 203.0.113.9
                    10.5.5.5, 10.0.0.1                     | 10.5.5.5
                    """)
    void theLastUndeclaredAddressIsTheClient(String forwarded, String client) throws Exception {
        assertThat(address(List.of(forwarded))).isEqualTo(InetAddress.getByName(client));
        assertThat(address(List.of(forwarded.split(",")))).isEqualTo(InetAddress.getByName(client));
    }

    /** What is before an entry that is no address may be anybody's invention. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "unknown",
                "_hidden",
                "203.0.113.9, unknown, 10.0.0.1",
                "203.0.113.9,",
                "203.0.113.9, 10.0.0.1.",
                "a.example",
                "203.0.113.9%eth0",
                "[203.0.113.9",
                "010.0.0.1.1",
                "203.0.113.9 10.0.0.1"
            })
    void anEntryThatIsNoAddressIsUnknown(String forwarded) throws Exception {
        assertThat(address(List.of(forwarded))).isNull();
    }

    @Test
    void aChainWithoutAnEndIsUnknown() throws Exception {
        assertThat(address(Collections.nCopies(5_000, "10.0.0.1"))).isNull();
        assertThat(address(List.of("10.0.0.1".repeat(2_000)))).isNull();
    }

    @Test
    void withoutTheHeaderTheProxyIsTheClient() throws Exception {
        assertThat(address(List.of())).isEqualTo(InetAddress.getByName("10.9.9.9"));
    }

    @ParameterizedTest
    @CsvSource({
        "false, https, true",
        "false, HTTPS, true",
        "true, http, false",
        "false, 'https, https', true",
        "false, 'http, https', false",
        "false, 'https, http', false",
        "true, wss, false",
        "true, '', false"
    })
    void theProxyNamesTheScheme(boolean connection, String forwarded, boolean secure) throws Exception {
        RequestSource peer = new RequestSource(InetAddress.getByName("10.9.9.9"), connection);

        assertThat(proxies.source(peer, List.of(), List.of(forwarded)).isSecure())
                .isEqualTo(secure);
        assertThat(proxies.source(peer, List.of(), List.of()).isSecure()).isEqualTo(connection);
    }

    @ParameterizedTest
    @ValueSource(strings = {"203.0.113.9", "11.0.0.1", "2001:db9::1", "127.0.0.1"})
    void headersOfOtherPeersAreIgnored(String undeclared) throws Exception {
        RequestSource peer = new RequestSource(InetAddress.getByName(undeclared), false);

        assertThat(proxies.source(peer, List.of("10.0.0.1"), List.of("https"))).isEqualTo(peer);
        assertThat(TrustedProxies.NONE.source(peer, List.of("10.0.0.1"), List.of("https")))
                .isEqualTo(peer);
        assertThat(proxies.source(new RequestSource(null, false), List.of("10.0.0.1"), List.of("https")))
                .isEqualTo(new RequestSource(null, false));
    }

    @Test
    void rangesOfTheSameAddressesAreEqual() {
        assertThat(IpRange.parse("10.0.0.1")).isEqualTo(IpRange.parse("10.0.0.1/32"));
        assertThat(IpRange.parse("10.0.0.0/8")).isNotEqualTo(IpRange.parse("10.0.0.0/9"));
        assertThat(IpRange.parse("10.0.0.0/8")).hasToString("10.0.0.0/8");
        assertThatThrownBy(() -> IpRange.parse("a.example"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("10.0.0.0/8");
    }

    private @Nullable InetAddress address(List<String> forwardedFor) throws Exception {
        return proxies.source(new RequestSource(InetAddress.getByName("10.9.9.9"), false), forwardedFor, List.of())
                .address();
    }
}
