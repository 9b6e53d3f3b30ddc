package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.http.AddressRange;
import io.millrace.backend.http.AllowedUrlPattern;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.gateway.testkit.TestCertificate;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.resolver.InetSocketAddressResolver;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.netty.http.Http11SslContextSpec;

/** A TLS server must have a trusted certificate for the host of the URL. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(60)
class TlsTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    private final TestCertificate certificate = TestCertificate.create("data.example.org", "data.example.org");
    private TestWebServer web;

    @BeforeEach
    void start() throws Exception {
        KeyManagerFactory own = certificate.bundle().toKeyManagerFactory();
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(own.getKeyManagers(), null, null);
        web = new TestWebServer(tls.getServerSocketFactory().createServerSocket(), loopback());
    }

    @AfterEach
    void stop() throws Exception {
        web.close();
    }

    @Test
    void acceptsServerOfTheUrl() throws Exception {
        web.page("/x", 100_000);
        HttpFetcher fetcher = fetcher(trusting());

        assertThat(bytes(fetcher, "data.example.org")).isEqualTo(100_000);
        fetcher.close().block(SOON);
    }

    @Test
    void refusesCertificateOfAnotherName() throws Exception {
        web.page("/x", 10);
        HttpFetcher fetcher = fetcher(trusting());

        assertThatThrownBy(() -> bytes(fetcher, "other.example.org"))
                .isInstanceOf(FetchException.class)
                .hasMessageContaining("TLS");
        assertThat(web.asked()).isEmpty();
        fetcher.close().block(SOON);
    }

    @Test
    void refusesUntrustedCertificate() {
        web.page("/x", 10);
        HttpFetcher fetcher = fetcher(Http11SslContextSpec.forClient());

        assertThatThrownBy(() -> bytes(fetcher, "data.example.org"))
                .isInstanceOf(FetchException.class)
                .hasMessageContaining("TLS");
        assertThat(web.asked()).isEmpty();
        fetcher.close().block(SOON);
    }

    @Test
    void refusesRedirectFromHttpsToHttp() throws Exception {
        try (TestWebServer plain = new TestWebServer()) {
            web.page("/x", 10).head("302 Found\r\nLocation: http://data.example.org:%d/x".formatted(plain.port()));
            HttpFetcher fetcher = fetcher(trusting(), "http://data.example.org:%d/".formatted(plain.port()));

            assertThatThrownBy(() -> bytes(fetcher, "data.example.org")).hasMessageContaining("from https to http");
            assertThat(plain.accepted()).isZero();
            fetcher.close().block(SOON);
        }
    }

    private Http11SslContextSpec trusting() {
        Http11SslContextSpec spec = Http11SslContextSpec.forClient();
        spec.configure(builder -> builder.trustManager(certificate.bundle().getCertificate()));
        return spec;
    }

    private HttpFetcher fetcher(Http11SslContextSpec tls, String... more) {
        List<AllowedUrlPattern> allowed = Stream.concat(
                        Stream.of("https://*.example.org:" + web.port() + "/"), Stream.of(more))
                .map(AllowedUrlPattern::parse)
                .toList();
        AddressResolverGroup<InetSocketAddress> names = new AddressResolverGroup<>() {
            @Override
            protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
                return new InetSocketAddressResolver(executor, new InetNameResolver(executor) {
                    @Override
                    protected void doResolve(String name, Promise<InetAddress> promise) {
                        promise.setSuccess(loopback());
                    }

                    @Override
                    protected void doResolveAll(String name, Promise<List<InetAddress>> promise) {
                        promise.setSuccess(List.of(loopback()));
                    }
                });
            }
        };
        return new HttpFetcher(
                new FetchSettings(allowed, List.of(AddressRange.parse("127.0.0.1")), SOON, SOON, SOON), names, tls);
    }

    private long bytes(HttpFetcher fetcher, String host) {
        return fetcher.get(
                        WebUrl.parse("https://%s:%d/x".formatted(host, web.port())),
                        HeaderList.EMPTY,
                        response -> response.body()
                                .map(piece -> {
                                    long bytes = piece.readableBytes();
                                    piece.release();
                                    return bytes;
                                })
                                .reduce(0L, Long::sum))
                .blockOptional(SOON)
                .orElseThrow();
    }

    private static InetAddress loopback() {
        return InetAddress.getLoopbackAddress();
    }
}
