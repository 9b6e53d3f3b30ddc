package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.signature.RequestSigner;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Clients of S3 use a scratch bucket as any other, and what would delete its only copies is refused. */
@Timeout(120)
class ApiScratchBucketTest {
    @TempDir
    Path folder;

    private ApiServer server;

    @BeforeEach
    void start() throws Exception {
        server = ApiServer.start(
                folder, "{ name: data, backend: local }, { name: kv-blocks, scratch: { ttl: 1h }, quota: 128MiB }");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ApiServer.Response s3(String method, String path, String body, Map<String, String> headers)
            throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.s3Port() + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        headers.forEach(request::header);
        new RequestSigner(ADMIN.accessKey(), ADMIN.secret(), "anywhere")
                .sign(uri, method, headers, ApiServer.hash(body), Instant.now())
                .forEach(request::header);
        return ApiServer.send(request.build());
    }

    @Test
    void objectsAreWrittenReadListedAndDeleted() throws Exception {
        assertThat(s3("PUT", "/kv-blocks/a/one", "content", Map.of()).status()).isEqualTo(200);
        assertThat(s3("PUT", "/kv-blocks/a/one", "other", Map.of("if-none-match", "*"))
                        .status())
                .isEqualTo(412);

        ApiServer.Response read = s3("GET", "/kv-blocks/a/one", "", Map.of());
        ApiServer.Response range = s3("GET", "/kv-blocks/a/one", "", Map.of("range", "bytes=3-5"));

        assertThat(read.text()).isEqualTo("content");
        assertThat(read.raw().headers().firstValue("cache-status").orElse("")).startsWith("millrace; hit");
        assertThat(range.status()).isEqualTo(206);
        assertThat(range.text()).isEqualTo("ten");
        assertThat(s3("GET", "/kv-blocks?list-type=2&prefix=a", "", Map.of()).text())
                .contains("<Key>a/one</Key>");
        assertThat(s3("DELETE", "/kv-blocks/a/one", "", Map.of()).status()).isEqualTo(204);
        assertThat(s3("GET", "/kv-blocks/a/one", "", Map.of()).status()).isEqualTo(404);
    }

    @Test
    void objectsAreCopiedFromAndToOtherBuckets() throws Exception {
        assertThat(s3("PUT", "/kv-blocks/copy", "", Map.of("x-amz-copy-source", "/data/o-00"))
                        .status())
                .isEqualTo(200);
        assertThat(s3("PUT", "/data/back", "", Map.of("x-amz-copy-source", "/kv-blocks/copy"))
                        .status())
                .isEqualTo(200);

        assertThat(s3("GET", "/kv-blocks/copy", "", Map.of()).text()).isEqualTo("content 0");
        assertThat(s3("GET", "/data/back", "", Map.of()).text()).isEqualTo("content 0");
    }

    @Test
    void theSettingsMakeTheBucket() throws Exception {
        assertThat(s3("HEAD", "/kv-blocks", "", Map.of()).status()).isEqualTo(200);
        assertThat(s3("PUT", "/kv-blocks", "", Map.of()).text()).contains("<Code>BucketAlreadyOwnedByYou</Code>");
        assertThat(s3("DELETE", "/kv-blocks", "", Map.of()).text()).contains("<Code>NotImplemented</Code>");
    }

    @Test
    void evictionsAndInvalidationsAreRefused() throws Exception {
        s3("PUT", "/kv-blocks/kept", "content", Map.of());

        ApiServer.Response evicted =
                server.post(ADMIN, API + "/jobs", "{\"kind\":\"evict\",\"from\":{\"bucket\":\"kv-blocks\"}}");
        ApiServer.Response invalidated = server.post(ADMIN, API + "/invalidations", "{\"bucket\":\"kv-blocks\"}");

        assertThat(evicted.status()).isEqualTo(400);
        assertThat(evicted.text()).contains("no other copy");
        assertThat(invalidated.status()).isEqualTo(400);
        assertThat(invalidated.text()).contains("no other copy");
        assertThat(s3("GET", "/kv-blocks/kept", "", Map.of()).text()).isEqualTo("content");
    }

    @Test
    void explainAndStatusKnowItsObjects() throws Exception {
        s3("PUT", "/kv-blocks/known", "content", Map.of());

        JsonNode explained =
                server.get(ADMIN, API + "/explain?bucket=kv-blocks&key=known").json();
        JsonNode absent =
                server.get(ADMIN, API + "/explain?bucket=kv-blocks&key=unknown").json();
        JsonNode residency =
                server.get(ADMIN, API + "/residency?bucket=kv-blocks").json();

        assertThat(explained.path("next").asString()).isEqualTo("hit");
        assertThat(absent.path("next").asString()).isEqualTo("missing");
        assertThat(absent.path("sentence").asString()).contains("NoSuchKey").doesNotContain("backend");
        assertThat(residency.path("cachedBytes").asInt()).isEqualTo("content".length());
    }
}
