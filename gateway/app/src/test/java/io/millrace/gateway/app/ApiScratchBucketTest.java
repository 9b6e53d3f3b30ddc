package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.signature.RequestSigner;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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
                folder,
                "{ name: data, backend: local }, { name: kv-blocks, scratch: { ttl: 1h }, quota: 128MiB },"
                        + " { name: samples, derived: { from: kv-blocks } }");
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
    void presignedUrlsWriteAndRead() throws Exception {
        ApiServer.Response written = ApiServer.send(HttpRequest.newBuilder(presigned("PUT"))
                .PUT(BodyPublishers.ofString("content"))
                .build());
        ApiServer.Response read =
                ApiServer.send(HttpRequest.newBuilder(presigned("GET")).build());

        assertThat(written.status()).as(written.text()).isEqualTo(200);
        assertThat(read.text()).isEqualTo("content");
    }

    private URI presigned(String method) {
        return new RequestSigner(ADMIN.accessKey(), ADMIN.secret(), "anywhere")
                .presign(
                        URI.create("http://127.0.0.1:" + server.s3Port() + "/kv-blocks/presigned"),
                        method,
                        Duration.ofHours(1),
                        Instant.now());
    }

    @Test
    void objectHasNoVersionButItself() throws Exception {
        s3("PUT", "/kv-blocks/one", "content", Map.of());

        assertThat(s3("GET", "/kv-blocks/one?versionId=null", "", Map.of()).text())
                .isEqualTo("content");
        assertThat(s3("GET", "/kv-blocks/one?versionId=other", "", Map.of()).text())
                .contains("<Code>NoSuchVersion</Code>");
    }

    @Test
    void partsAreCopiedOutOfItsObjects() throws Exception {
        s3("PUT", "/kv-blocks/source", "0123456789", Map.of());
        String upload = element(s3("POST", "/kv-blocks/joined?uploads=", "", Map.of()), "UploadId");

        ApiServer.Response part = s3(
                "PUT",
                "/kv-blocks/joined?partNumber=1&uploadId=" + upload,
                "",
                Map.of("x-amz-copy-source", "/kv-blocks/source", "x-amz-copy-source-range", "bytes=3-5"));
        String parts = "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>%s</ETag></Part>"
                .formatted(element(part, "ETag"));
        String completion = parts + "</CompleteMultipartUpload>";
        ApiServer.Response first = s3("POST", "/kv-blocks/joined?uploadId=" + upload, completion, Map.of());
        ApiServer.Response again = s3("POST", "/kv-blocks/joined?uploadId=" + upload, completion, Map.of());

        assertThat(s3("GET", "/kv-blocks/joined", "", Map.of()).text()).isEqualTo("345");
        assertThat(again.status()).isEqualTo(200);
        assertThat(element(again, "ETag")).isEqualTo(element(first, "ETag"));
    }

    private static String element(ApiServer.Response response, String name) {
        Matcher found = Pattern.compile("<%1$s>(.*?)</%1$s>".formatted(name)).matcher(response.text());
        assertThat(found.find()).as(response.text()).isTrue();
        return found.group(1);
    }

    @Test
    void membersOfItsArchivesAreReadAndListed() throws Exception {
        s3("PUT", "/kv-blocks/a.tar", tar("one", "content of one"), Map.of());

        ApiServer.Response head = s3("HEAD", "/samples/a.tar/one", "", Map.of());
        ApiServer.Response range = s3("GET", "/samples/a.tar/one", "", Map.of("range", "bytes=8-9"));
        ApiServer.Response read = s3("GET", "/samples/a.tar/one", "", Map.of());

        assertThat(head.raw().headers().firstValue("content-length")).contains("14");
        assertThat(range.text()).isEqualTo("of");
        assertThat(read.text()).isEqualTo("content of one");
        assertThat(read.raw().headers().firstValue("cache-status").orElse("")).startsWith("millrace; hit");
        assertThat(s3("GET", "/samples?list-type=2", "", Map.of()).text()).contains("<Key>a.tar/one</Key>");
        assertThat(server.get(ADMIN, API + "/explain?bucket=samples&key=a.tar/one")
                        .field("next"))
                .isEqualTo("hit");
    }

    @Test
    void membersFollowTheirArchive() throws Exception {
        s3("PUT", "/kv-blocks/a.tar", tar("one", "content of one"), Map.of());
        ApiServer.Response before = s3("GET", "/samples/a.tar/one", "", Map.of());

        s3("PUT", "/kv-blocks/a.tar", tar("one", "content of two"), Map.of());
        ApiServer.Response after = s3("GET", "/samples/a.tar/one", "", Map.of());
        s3("PUT", "/kv-blocks/a.tar", tar("two", "content of two"), Map.of());

        assertThat(before.text()).isEqualTo("content of one");
        assertThat(after.text()).isEqualTo("content of two");
        assertThat(after.raw().headers().firstValue("etag"))
                .isNotEqualTo(before.raw().headers().firstValue("etag"));
        assertThat(s3("GET", "/samples/a.tar/one", "", Map.of()).status()).isEqualTo(404);
        assertThat(s3("GET", "/samples/a.tar/two", "", Map.of()).text()).isEqualTo("content of two");
        assertThat(s3("GET", "/samples?list-type=2", "", Map.of()).text())
                .contains("<Key>a.tar/two</Key>")
                .doesNotContain("<Key>a.tar/one</Key>");
        s3("DELETE", "/kv-blocks/a.tar", "", Map.of());
        assertThat(s3("GET", "/samples/a.tar/two", "", Map.of()).status()).isEqualTo(404);
    }

    /** Returns a tar of one file. */
    private static String tar(String name, String content) {
        byte[] tar = new byte[2048];
        put(tar, 0, name);
        put(tar, 124, "%011o".formatted(content.length()));
        put(tar, 148, "        ");
        put(tar, 156, "0");
        int sum = 0;
        for (int i = 0; i < 512; i++) {
            sum += tar[i];
        }
        put(tar, 148, "%06o\0".formatted(sum));
        put(tar, 512, content);
        return new String(tar, StandardCharsets.US_ASCII);
    }

    private static void put(byte[] block, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, block, at, bytes.length);
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
