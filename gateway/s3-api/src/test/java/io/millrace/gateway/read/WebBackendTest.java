package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.RecordingServer;
import io.millrace.backend.web.ListingSource;
import io.millrace.backend.web.WebBackendProvider;
import io.millrace.backend.web.WebBackendSettings;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A web server's objects are cached if they have strong versions, and pass through otherwise. */
@ExtendWith(BufferLeakExtension.class)
class WebBackendTest {
    private static final byte[] BYTES = "0123456789".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path folder;

    private final RecordingServer server = new RecordingServer(WebBackendTest::respond);
    private Backend backend;
    private BlockCache cache;
    private TestGateway gateway;
    private SigningClient client;

    @BeforeEach
    void start() throws IOException {
        Duration soon = Duration.ofSeconds(20);
        backend = new WebBackendProvider()
                .create(
                        "web",
                        new WebBackendSettings(
                                WebUrl.parse(server.uri() + "/"),
                                true,
                                ListingSource.NONE,
                                "manifest.txt",
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                List.of(),
                                List.of(),
                                new ConnectionSettings(
                                        16, BackendTlsSettings.DEFAULTS, Optional.empty(), soon, soon, soon)));
        cache = CacheFixture.in(folder);
        gateway = TestGateway.builder().cache(cache).bucket("*", backend).start();
        client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
        backend.close().block();
        server.close();
    }

    @Test
    void strongObjectIsCached() throws IOException {
        RawClient.Response first = client.get("/bucket/strong");
        Polling.until(
                "the fetch has ended, which the next read might join otherwise",
                () -> cache.administration().stats().fills() == 0);
        RawClient.Response second = client.get("/bucket/strong");

        assertThat(first.headers().get("cache-status")).isEqualTo("millrace; fwd=miss; stored");
        assertThat(second.headers().get("cache-status")).startsWith("millrace; hit");
        assertThat(second.text()).isEqualTo("0123456789");
        assertThat(server.requests()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"weak", "dated", "bare"})
    void weakObjectBypassesTheCache(String key) throws IOException {
        for (int i = 0; i < 2; i++) {
            RawClient.Response response = client.get("/bucket/" + key);

            assertThat(response.text()).isEqualTo("0123456789");
            assertThat(response.headers().get("cache-status")).isEqualTo("millrace; fwd=bypass");
        }
        assertThat(client.ask("GET", "/bucket/" + key, Map.of("range", "bytes=3-5"))
                        .text())
                .isEqualTo("345");
        assertThat(client.head("/bucket/" + key).headers().get("content-length"))
                .isEqualTo("10");
    }

    @Test
    void writesAreRefused() throws IOException {
        for (String method : new String[] {"PUT", "DELETE"}) {
            RawClient.Response response = client.ask(
                    method, "/bucket/strong", method.equals("PUT") ? Map.of("content-length", "0") : Map.of());

            assertThat(response.status()).as(method).isEqualTo(501);
            assertThat(response.element("Code")).isEqualTo("NotImplemented");
            assertThat(response.element("Message")).contains("read-only");
        }
        assertThat(client.get("/bucket/strong").text()).isEqualTo("0123456789");
    }

    private static PlannedResponse respond(RecordedRequest request) {
        return switch (request.path()) {
            case "/bucket/strong" -> PlannedResponse.of(200, BYTES, "ETag", "\"v1\"", "Accept-Ranges", "bytes");
            case "/bucket/weak" -> PlannedResponse.of(200, BYTES, "ETag", "W/\"v1\"");
            case "/bucket/dated" -> PlannedResponse.of(200, BYTES, "Last-Modified", "Tue, 04 Aug 2026 10:11:12 GMT");
            default -> PlannedResponse.of(200, BYTES);
        };
    }
}
