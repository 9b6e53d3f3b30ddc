package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.millrace.MillraceBackendProvider;
import io.millrace.backend.millrace.MillraceBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.ScriptedHub;
import io.millrace.backend.testkit.server.ScriptedServer;
import io.millrace.backend.testkit.server.ScriptedServer.ReceivedRequest;
import io.millrace.backend.testkit.server.ScriptedServer.ServerConnection;
import io.millrace.backend.web.ListingSource;
import io.millrace.backend.web.WebBackendProvider;
import io.millrace.backend.web.WebBackendSettings;
import io.millrace.cache.BlockCache;
import io.millrace.config.Secret;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A cold read costs one request at the backend, also by SDKs, which want checksums always; those that its response has
 * are passed on, and from the cache later.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class ColdChecksumReadTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final byte[] BYTES = "0123456789".getBytes(StandardCharsets.UTF_8);
    private static final String CRC32C = "KAwGng==";
    private static final Map<String, String> ENABLED = Map.of("x-amz-checksum-mode", "ENABLED");
    private static final Map<String, String> ENABLED_FOR_A_RANGE =
            Map.of("x-amz-checksum-mode", "ENABLED", "range", "bytes=3-5");

    @TempDir
    Path folder;

    private BlockCache cache;

    @BeforeEach
    void openCache() throws IOException {
        cache = CacheFixture.in(folder);
    }

    @AfterEach
    void closeCache() {
        cache.close();
    }

    /** The kinds of servers, and what they tell of an object. */
    private enum Origin {
        S3("ETag: \"s3\""),
        MILLRACE("ETag: \"tier\"", "Cache-Status: millrace; hit"),
        GCS(
                "ETag: \"781e5e245d69b566979b86e28d23f2c7\"",
                "x-goog-generation: 7",
                "x-goog-metageneration: 1",
                "x-goog-hash: crc32c=" + CRC32C,
                "x-goog-stored-content-encoding: identity"),
        AZURE("ETag: \"0x8D1\"", "x-ms-blob-type: BlockBlob", "x-ms-request-id: 1", "x-ms-version: 2021-12-02"),
        WEB("ETag: \"web\"", "Accept-Ranges: bytes"),
        WEB_WITHOUT_VERSIONS("Accept-Ranges: none");

        /** A header a line. */
        private final String fields;

        Origin(String... fields) {
            this.fields = String.join("\n", fields);
        }

        /** Returns whether the response to a read of the whole object has the checksum. */
        boolean sendsChecksums() {
            return Set.of(S3, MILLRACE, GCS).contains(this);
        }

        boolean isCacheable() {
            return this != WEB_WITHOUT_VERSIONS;
        }

        Backend backend(URI server) {
            return switch (this) {
                case S3 -> S3OriginFixture.at(server, "key", "secret", Set.of()).backend();
                case MILLRACE ->
                    new MillraceBackendProvider()
                            .create(
                                    "test",
                                    new MillraceBackendSettings(
                                            server,
                                            "tier",
                                            Secret.of("secret"),
                                            new ConnectionSettings(
                                                    16,
                                                    BackendTlsSettings.DEFAULTS,
                                                    Optional.empty(),
                                                    SOON,
                                                    SOON,
                                                    SOON)));
                case GCS -> CloudOriginFixture.gcs(server).backend();
                case AZURE ->
                    CloudOriginFixture.azure(server.resolve("/devstoreaccount1"), "c2VjcmV0")
                            .backend();
                case WEB, WEB_WITHOUT_VERSIONS ->
                    new WebBackendProvider()
                            .create(
                                    "test",
                                    new WebBackendSettings(
                                            WebUrl.parse(server + "/"),
                                            true,
                                            ListingSource.NONE,
                                            "manifest.txt",
                                            Optional.empty(),
                                            Optional.empty(),
                                            Optional.empty(),
                                            List.of(),
                                            List.of(),
                                            new ConnectionSettings(
                                                    16,
                                                    BackendTlsSettings.DEFAULTS,
                                                    Optional.empty(),
                                                    SOON,
                                                    SOON,
                                                    SOON)));
            };
        }

        /** Sends the object, or all of it in a range as the gateway asks for whole blocks. */
        void respond(ReceivedRequest request, ServerConnection wire) throws IOException {
            boolean partial = isCacheable()
                    && (request.header("range").isPresent()
                            || request.header("x-ms-range").isPresent());
            boolean checksums = (this == S3 || this == MILLRACE)
                    && !partial
                    && request.header("x-amz-checksum-mode")
                            .filter("ENABLED"::equals)
                            .isPresent();
            String[] head = Stream.of(
                            fields.lines(),
                            Stream.of("Content-Length: 10"),
                            Stream.of("Last-Modified: Fri, 20 Nov 2026 10:00:00 GMT"),
                            Stream.of("Content-Range: bytes 0-9/10").filter(range -> partial),
                            Stream.of("x-amz-checksum-crc32c: " + CRC32C, "x-amz-checksum-type: FULL_OBJECT")
                                    .filter(sum -> checksums))
                    .flatMap(some -> some)
                    .toArray(String[]::new);
            wire.head(partial ? "206 Partial Content" : "200 OK", head);
            if (!request.method().equals("HEAD")) {
                wire.bytes(BYTES);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Origin.class)
    void coldReadWithChecksumModeIsOneRequest(Origin origin) throws IOException {
        try (ScriptedServer server = ScriptedServer.start(origin::respond);
                Running running = new Running(origin.backend(server.uri()), cache)) {
            RawClient.Response cold = running.read("/bucket/key", ENABLED);

            assertThat(cold.text()).isEqualTo("0123456789");
            assertThat(server.requests()).extracting(ReceivedRequest::method).containsExactly("GET");
            if (origin.isCacheable()) {
                RawClient.Response warm = running.read("/bucket/key", ENABLED);

                assertThat(warm.text()).isEqualTo("0123456789");
                assertThat(warm.headers().get("cache-status")).startsWith("millrace; hit");
                assertThat(server.requests()).hasSize(1);
                assertThat(checksum(warm)).isEqualTo(checksum(cold));
            }
            assertThat(checksum(cold)).isEqualTo(origin.sendsChecksums() ? Optional.of(CRC32C) : Optional.empty());
        }
    }

    @ParameterizedTest
    @EnumSource(Origin.class)
    void coldRangeWithChecksumModeIsOneRequest(Origin origin) throws IOException {
        try (ScriptedServer server = ScriptedServer.start(origin::respond);
                Running running = new Running(origin.backend(server.uri()), cache)) {
            RawClient.Response cold = running.read("/bucket/key", ENABLED_FOR_A_RANGE);

            assertThat(cold.status()).isEqualTo(206);
            assertThat(cold.text()).isEqualTo("345");
            assertThat(checksum(cold))
                    .as("clients would compare it with the range")
                    .isEmpty();
            assertThat(server.requests()).extracting(ReceivedRequest::method).containsExactly("GET");
            if (origin.isCacheable()) {
                assertThat(checksum(running.read("/bucket/key", ENABLED_FOR_A_RANGE)))
                        .isEmpty();
                assertThat(server.requests()).hasSize(1);
            }
        }
    }

    /**
     * A fetch of a range brings no checksum of the whole: where there are some, one HEAD completes what is cached, for
     * good.
     */
    @ParameterizedTest
    @EnumSource(
            value = Origin.class,
            names = {"S3", "MILLRACE", "AZURE", "WEB"})
    void wholeReadAfterARangeIsCompletedWhereChecksumsAreStored(Origin origin) throws IOException {
        try (ScriptedServer server = ScriptedServer.start(origin::respond);
                Running running = new Running(origin.backend(server.uri()), cache)) {
            running.read("/bucket/key", ENABLED_FOR_A_RANGE);

            RawClient.Response whole = running.read("/bucket/key", ENABLED);
            running.read("/bucket/key", ENABLED);

            assertThat(whole.text()).isEqualTo("0123456789");
            assertThat(server.requests())
                    .extracting(ReceivedRequest::method)
                    .isEqualTo(origin.sendsChecksums() ? List.of("GET", "HEAD") : List.of("GET"));
            assertThat(checksum(whole)).isEqualTo(origin.sendsChecksums() ? Optional.of(CRC32C) : Optional.empty());
        }
    }

    @Test
    void coldReadOfAHubsFileWithChecksumModeIsOneRequest() throws IOException {
        try (ScriptedHub hub = new ScriptedHub()) {
            String commit = ScriptedHub.commit(1);
            hub.repository("models/org/name")
                    .small(commit, "config.json", BYTES)
                    .branch("main", commit);
            try (Running running = new Running(ScriptedHubBackend.of(hub, Optional.empty()), cache)) {
                RawClient.Response cold = running.read("/models/org/name/" + commit + "/config.json", ENABLED);
                RawClient.Response warm = running.read("/models/org/name/" + commit + "/config.json", ENABLED);

                assertThat(cold.text()).isEqualTo("0123456789").isEqualTo(warm.text());
                assertThat(hub.atHub().stream().filter(sent -> sent.target().contains("/resolve/")))
                        .extracting(RecordedRequest::method)
                        .containsExactly("GET");
            }
        }
    }

    private static Optional<String> checksum(RawClient.Response response) {
        return Optional.ofNullable(response.headers().get("x-amz-checksum-crc32c"));
    }

    /** A gateway with a cache over one backend. */
    private static final class Running implements AutoCloseable {
        private final Backend backend;
        private final BlockCache cache;
        private final TestGateway gateway;
        private final SigningClient client;

        Running(Backend backend, BlockCache cache) {
            this.backend = backend;
            this.cache = cache;
            this.gateway =
                    TestGateway.builder().cache(cache).bucket("*", backend).start();
            this.client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
        }

        /** Reads, and waits until what was fetched is cached. */
        RawClient.Response read(String target, Map<String, String> headers) throws IOException {
            RawClient.Response response = client.ask("GET", target, headers);
            Polling.until(
                    "the fetch has ended, which the next read might join otherwise",
                    () -> cache.administration().stats().fills() == 0);
            return response;
        }

        @Override
        public void close() {
            gateway.close();
            backend.close().block();
        }
    }
}
