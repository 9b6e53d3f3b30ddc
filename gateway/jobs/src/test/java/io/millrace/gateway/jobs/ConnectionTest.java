package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.http.AddressRange;
import io.millrace.backend.http.AllowedUrlPattern;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.resolver.InetSocketAddressResolver;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.netty.http.Http11SslContextSpec;

/** The author of a URL must not reach private addresses, whatever the spelling, the lookup or the redirect. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(180)
class ConnectionTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    /** Listens on every address of this machine, so that any connection to it is seen. */
    private TestWebServer web;

    @BeforeEach
    void start() throws IOException {
        web = new TestWebServer(InetAddress.getByAddress(new byte[16]));
        web.page("/x", 10);
    }

    @AfterEach
    void stop() throws IOException {
        web.close();
    }

    static Stream<String> spellings() {
        List<String> hosts = new ArrayList<>(List.of(
                // This machine, as C's functions, browsers and people write it.
                "127.0.0.1",
                "127.0.0.2",
                "127.1",
                "127.0.1",
                "127.255.255.254",
                "0",
                "0.0.0.0",
                "0.0",
                "0.0.0",
                "00.0.0.0",
                "2130706433",
                "017700000001",
                "0x7f000001",
                "0X7F000001",
                "0x7f.1",
                "0x7f.0.0.1",
                "0177.1",
                "0177.0.0.01",
                "0177.0x0.0.1",
                "127.000.000.001",
                "127.0.0.01",
                "127.0.0.0x1",
                "127.0.0.1.",
                "127.1.",
                "127.0.0.1%00",
                "127.0.0.1%2e",
                "127。0。0。1",
                "127｡0｡0｡1",
                "１２７.0.0.1",
                "①②⑦.⓪.⓪.①",
                "%31%32%37.0.0.1",
                "127.0.0.1\t",
                " 127.0.0.1",
                "127.0.0.1@",
                "a@127.0.0.1",
                "127.0.0.1#",
                "127.0.0.1\\",
                "340282366920938463463374607431768211457",
                "4294967297",
                "127.0.0.257",
                "-127.0.0.1",
                "+127.0.0.1",
                "127.0.0.1e0",
                "0x7f.0x00.0x00.0x01",
                "0b1111111.0.0.1",
                "localhost",
                "LOCALHOST",
                "localhost.",
                "locaLhost",
                "ⓛocalhost",
                "localhost.localdomain",
                "ip6-localhost",
                "[::1]",
                "[::1%25lo]",
                "[::1%lo]",
                "[0:0:0:0:0:0:0:1]",
                "[0000::0001]",
                "[::0001]",
                "[::]",
                "[0::0]",
                "::1",
                "[::127.0.0.1]",
                "[::7f00:1]",
                "[::ffff:127.0.0.1]",
                "[::FFFF:127.0.0.1]",
                "[::ffff:7f00:1]",
                "[0:0:0:0:0:ffff:7f00:0001]",
                "[::ffff:0:127.0.0.1]",
                "[::ffff:0:7f00:1]",
                "[64:ff9b::127.0.0.1]",
                "[64:ff9b::7f00:1]",
                "[64:ff9b:1::7f00:1]",
                "[2002:7f00:1::]",
                "[2002:7f00:0001::1]",
                "[2001:0:7f00:1::]",
                "[2001:0:1:2:3:4:80ff:fffe]",
                "[2606:4700::5efe:7f00:1]",
                "[2606:4700::200:5efe:7f00:1]",
                "[fe80::5efe:127.0.0.1]",
                "[::1]]",
                "[[::1]]",
                "[::1",
                "::1]",
                "[::1].",
                "[::ffff:127.1]",
                "[v1.127.0.0.1]",
                // Cloud metadata services.
                "169.254.169.254",
                "169.254.170.2",
                "2852039166",
                "0xA9FEA9FE",
                "0251.0376.0251.0376",
                "169.254.43518",
                "[::ffff:169.254.169.254]",
                "[::ffff:a9fe:a9fe]",
                "[fd00:ec2::254]",
                "[64:ff9b::a9fe:a9fe]",
                "[2002:a9fe:a9fe::]",
                "192.0.0.192",
                "100.100.100.200",
                "168.63.129.16",
                "169.254.169.254.",
                "169.254.169.254%20",
                // Reserved and private networks.
                "10.0.0.1",
                "10.255.255.255",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.0.1",
                "100.64.0.1",
                "100.127.255.255",
                "192.0.0.1",
                "192.0.2.1",
                "192.88.99.1",
                "198.18.0.1",
                "198.19.255.255",
                "198.51.100.1",
                "203.0.113.1",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.255",
                "0.1.2.3",
                "[fe80::1]",
                "[febf::1]",
                "[fec0::1]",
                "[fc00::1]",
                "[fdff::1]",
                "[ff02::1]",
                "[100::1]",
                "[2001:db8::1]",
                "[3fff::1]",
                "[2001:2::1]",
                "[2001:10::1]",
                "[2001:20::1]",
                "[5f00::1]",
                "[4000::1]"));
        return hosts.stream();
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void refusesEverySpellingOfForbiddenAddress(String host) {
        String url = "http://" + host + ":" + web.port() + "/x";
        List<AllowedUrlPattern> allowed;
        WebUrl parsed;
        try {
            parsed = WebUrl.parse(url);
            allowed = List.of(AllowedUrlPattern.parse(url));
        } catch (IllegalArgumentException refused) {
            assertThat(refused.getMessage()).isNotBlank();
            return;
        }
        HttpFetcher fetcher = new HttpFetcher(settings(allowed));

        assertThatThrownBy(() -> status(fetcher, parsed)).isInstanceOf(FetchException.class);

        assertThat(web.accepted()).isZero();
        fetcher.close().block(SOON);
    }

    @Test
    void thereAreEnoughSpellings() {
        assertThat(spellings().distinct().count()).isGreaterThanOrEqualTo(130);
    }

    /** A name that resolves to a forbidden address is refused without a connection. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.1.2.3",
                "0.0.0.0",
                "10.1.2.3",
                "169.254.169.254",
                "192.168.1.1",
                "172.20.0.1",
                "100.64.0.1",
                "255.255.255.255",
                "224.0.0.1",
                "::1",
                "::",
                "fe80::1",
                "fc00::1",
                "ff02::1",
                "::7f00:1",
                "64:ff9b::7f00:1",
                "64:ff9b:1::1",
                "2002:7f00:1::",
                "2001:0:7f00:1::",
                "2606:4700::5efe:7f00:1"
            })
    void refusesNameOfForbiddenAddress(String address) throws IOException {
        HttpFetcher fetcher = fetcher(named(), () -> List.of(address(address)));

        assertThatThrownBy(() -> status(fetcher, name()))
                .isInstanceOf(FetchException.class)
                .hasMessageContaining("downloads.allowed-private-addresses");
        assertThat(web.accepted()).isZero();
        fetcher.close().block(SOON);
    }

    /** Sends the same request with an allowed range, which proves that the tests above would see a connection. */
    @Test
    void allowsRangesOfTheOperator() throws IOException {
        HttpFetcher fetcher = fetcher(named("127.0.0.0/8"), () -> List.of(address("127.0.0.1")));

        assertThat(status(fetcher, name())).isEqualTo(200);
        assertThat(web.accepted()).isEqualTo(1);
        fetcher.close().block(SOON);
    }

    @Test
    void checksEveryLookup() throws IOException {
        List<String> responses = List.of("127.0.0.2", "127.0.0.1");
        int[] asked = {0};
        try (TestWebServer good = new TestWebServer(address("127.0.0.2"))) {
            good.page("/x", 10);
            web.close();
            TestWebServer bad = new TestWebServer(address("127.0.0.1"));
            HttpFetcher fetcher = fetcher(
                    at(List.of(good.port(), bad.port()), "127.0.0.2"),
                    () -> List.of(address(responses.get(asked[0]++ % responses.size()))));
            int failed = 0;
            for (int i = 0; i < 20; i++) {
                try {
                    status(
                            fetcher,
                            WebUrl.parse(
                                    "http://data.example.org:%d/x".formatted(i % 2 == 0 ? good.port() : bad.port())));
                } catch (FetchException refused) {
                    failed++;
                }
            }
            assertThat(bad.accepted()).isZero();
            assertThat(failed).isPositive();
            fetcher.close().block(SOON);
            bad.close();
        }
    }

    /** A forbidden address among several is never tried, even if the others fail. */
    @Test
    void triesOnlyAllowedAddresses() throws IOException {
        web.close();
        TestWebServer closed = new TestWebServer(address("127.0.0.1"));
        HttpFetcher fetcher = fetcher(
                at(List.of(closed.port()), "127.0.0.9", "127.0.0.8"),
                () -> List.of(address("127.0.0.1"), address("127.0.0.9"), address("::1"), address("127.0.0.8")));

        assertThatThrownBy(() -> status(fetcher, WebUrl.parse("http://data.example.org:" + closed.port() + "/x")))
                .isInstanceOf(FetchException.class);

        assertThat(closed.accepted()).isZero();
        fetcher.close().block(SOON);
        closed.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://127.0.0.1:%d/y", "http://[::1]:%d/y", "//127.0.0.1:%d/y", "http://0x7f.1:%d/y",
                        "http://2130706433:%d/y",
                "http://user@data.example.org:%d/x", "http://other.example.org:%d/x", "/\\127.0.0.1:%d/y", "/sub/../y",
                        "/y",
                "ftp://data.example.org:%d/x", "file:///etc/passwd", "http://data.example.org:1/x"
            })
    void checksRedirectLikeUrl(String location) throws IOException {
        web.page("/y", 10);
        web.page("/x", 10).head("302 Found\r\nLocation: " + location.formatted(web.port()));
        FetchSettings settings = new FetchSettings(
                List.of(AllowedUrlPattern.parse("http://data.example.org:" + web.port() + "/x")),
                List.of(AddressRange.parse("127.0.0.1")),
                SOON,
                SOON,
                SOON);
        HttpFetcher fetcher = fetcher(settings, () -> List.of(address("127.0.0.1")));

        assertThatThrownBy(() -> status(fetcher, name())).isInstanceOf(FetchException.class);

        assertThat(web.accepted()).isEqualTo(1);
        assertThat(web.asked()).hasSize(1);
        fetcher.close().block(SOON);
    }

    @Test
    void refusesRedirectToForbiddenAddress() throws IOException {
        web.page("/x", 10).head("302 Found\r\nLocation: http://inside.example.org:%d/x".formatted(web.port()));
        List<String> responses = List.of("127.0.0.1", "127.0.0.2");
        int[] asked = {0};
        HttpFetcher fetcher = fetcher(named("127.0.0.1"), () -> List.of(address(responses.get(asked[0]++))));

        assertThatThrownBy(() -> status(fetcher, name()))
                .isInstanceOf(FetchException.class)
                .hasMessageContaining("127.0.0.2");
        assertThat(web.accepted()).isEqualTo(1);
        fetcher.close().block(SOON);
    }

    @Test
    void followsAtMostFiveRedirects() throws IOException {
        HttpFetcher fetcher = fetcher(named("127.0.0.1"), () -> List.of(address("127.0.0.1")));
        TestPage page = web.page("/x", 10);
        for (int i = 0; i < 5; i++) {
            page.head("307 Temporary Redirect\r\nLocation: /x");
        }
        assertThat(status(fetcher, name())).isEqualTo(200);

        for (int i = 0; i < 6; i++) {
            page.head("307 Temporary Redirect\r\nLocation: x");
        }
        assertThatThrownBy(() -> status(fetcher, name())).hasMessageContaining("more than 5 times");
        fetcher.close().block(SOON);
    }

    private static FetchSettings settings(List<AllowedUrlPattern> allowed, String... open) {
        return new FetchSettings(
                allowed, Stream.of(open).map(AddressRange::parse).toList(), SOON, SOON, SOON);
    }

    private FetchSettings named(String... open) {
        return at(List.of(web.port(), 1), open);
    }

    private static FetchSettings at(List<Integer> ports, String... open) {
        return settings(
                ports.stream()
                        .map(port -> AllowedUrlPattern.parse("http://*.example.org:%d/".formatted(port)))
                        .toList(),
                open);
    }

    private WebUrl name() {
        return WebUrl.parse("http://data.example.org:%d/x".formatted(web.port()));
    }

    private static int status(HttpFetcher fetcher, WebUrl url) {
        return fetcher.get(
                        url,
                        HeaderList.EMPTY,
                        response -> response.body()
                                .doOnNext(piece -> piece.release())
                                .then(Mono.just(response.status())))
                .blockOptional(SOON)
                .orElseThrow();
    }

    private static InetAddress address(String text) {
        return Objects.requireNonNull(NetUtil.createInetAddressFromIpAddressString(text));
    }

    private static HttpFetcher fetcher(FetchSettings settings, Supplier<List<InetAddress>> responses) {
        AddressResolverGroup<InetSocketAddress> names = new AddressResolverGroup<>() {
            @Override
            protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
                return new InetSocketAddressResolver(executor, new InetNameResolver(executor) {
                    @Override
                    protected void doResolve(String name, Promise<InetAddress> promise) {
                        promise.setSuccess(responses.get().get(0));
                    }

                    @Override
                    protected void doResolveAll(String name, Promise<List<InetAddress>> promise) {
                        promise.setSuccess(responses.get());
                    }
                });
            }
        };
        return new HttpFetcher(settings, names, Http11SslContextSpec.forClient());
    }
}
