package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.server.ScriptedHub;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A repository of the Hub is an S3 bucket, whose files are cached. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class HubBackendTest {
    private static final String COMMIT = ScriptedHub.commit(1);
    private static final byte[] LARGE = GeneratedBytes.of("large").first(3 << 20);

    @TempDir
    Path folder;

    private ScriptedHub hub;
    private Backend backend;
    private BlockCache cache;
    private TestGateway gateway;
    private SigningClient client;

    @BeforeEach
    void start() throws IOException {
        hub = new ScriptedHub();
        hub.repository("models/org/name")
                .small(COMMIT, "config.json", "0123456789".getBytes(StandardCharsets.UTF_8))
                .large(COMMIT, "sub/model.bin", LARGE)
                .branch("main", COMMIT);
        backend = ScriptedHubBackend.of(hub, Optional.empty());
        cache = CacheFixture.in(folder);
        gateway = TestGateway.builder()
                .cache(cache)
                .bucket("models", backend)
                .alias("name", "models", "org/name/main/")
                .start();
        client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
        backend.close().block();
        hub.close();
    }

    @Test
    void fileIsCached() throws IOException {
        RawClient.Response first = client.get("/name/sub/model.bin");
        Polling.until(
                "the fetch has ended, which the next read might join otherwise",
                () -> cache.administration().stats().fills() == 0);
        hub.forgetRequests();
        RawClient.Response second = client.get("/name/sub/model.bin");
        RawClient.Response range = client.ask("GET", "/name/sub/model.bin", Map.of("range", "bytes=2000000-2000999"));

        assertThat(first.headers().get("cache-status")).isEqualTo("millrace; fwd=miss; stored");
        assertThat(first.bytes()).isEqualTo(LARGE);
        assertThat(second.headers().get("cache-status")).startsWith("millrace; hit");
        assertThat(second.bytes()).isEqualTo(LARGE);
        assertThat(range.status()).isEqualTo(206);
        assertThat(range.bytes()).isEqualTo(Arrays.copyOfRange(LARGE, 2_000_000, 2_001_000));
        assertThat(hub.atHub()).isEmpty();
        assertThat(hub.atStorage()).isEmpty();
    }

    @Test
    void headTellsTheTagAndTheCommit() throws IOException {
        RawClient.Response head = client.head("/models/org/name/" + COMMIT + "/sub/model.bin");

        assertThat(head.status()).isEqualTo(200);
        assertThat(head.headers().get("content-length")).isEqualTo("" + LARGE.length);
        assertThat(head.headers().get("etag")).hasSize(66);
        assertThat(head.headers().get("last-modified")).isEqualTo("Tue, 04 Aug 2026 10:11:12 GMT");
        assertThat(head.headers().get("x-amz-meta-repo-commit")).isEqualTo(COMMIT);
    }

    @Test
    void repositoryIsListed() throws IOException {
        String all = client.get("/name?list-type=2").text();
        String folders = client.get("/name?list-type=2&delimiter=%2F").text();

        assertThat(all).contains("<Key>config.json</Key>", "<Key>sub/model.bin</Key>", "<Size>10</Size>");
        assertThat(folders).contains("<Key>config.json</Key>", "<Prefix>sub/</Prefix>");
        assertThat(client.get("/models?list-type=2").status()).isEqualTo(501);
    }

    @Test
    void absenceAndWritesAreAnswered() throws IOException {
        assertThat(client.get("/name/none").element("Code")).isEqualTo("NoSuchKey");
        RawClient.Response write = client.ask("PUT", "/name/config.json", Map.of("content-length", "0"));
        assertThat(write.status()).isEqualTo(501);
        assertThat(write.element("Message")).contains("read-only");
    }
}
