package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.ALICE;
import static io.millrace.gateway.app.ApiServer.API;
import static io.millrace.gateway.app.ApiServer.WRITER;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.app.ApiServer.Caller;
import io.millrace.gateway.app.ApiServer.Response;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that acts and refusals of both ports are in the audit log of a running gateway, and no secret is. */
@Timeout(120)
class AuditTest {
    private static final String PLATFORM = "spring.main.cloud-platform";
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String BUCKETS = "{ name: data, backend: local, freshness: { mode: immutable } }";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void recordsWritesRefusalsAndAdministrativeActs() throws Exception {
        try (ApiServer server = start("")) {
            assertThat(s3(server, WRITER, "PUT", "data/o-new", "content").status())
                    .isEqualTo(200);
            awaitLines(1);
            assertThat(s3(server, ALICE, "PUT", "data/o-new", "content").status())
                    .isEqualTo(403);
            awaitLines(2);
            assertThat(s3(server, ALICE, "GET", "data/o-01", "").status()).isEqualTo(200);
            assertThat(ApiServer.send(HttpRequest.newBuilder(s3Uri(server, "data/o-01?versionId=canary"))
                                    .build())
                            .status())
                    .isEqualTo(403);
            awaitLines(3);
            assertThat(server.post(WRITER, API + "/invalidations", "{\"bucket\":\"data\",\"key\":\"o-01\"}")
                            .status())
                    .isEqualTo(204);
            assertThat(server.get(ALICE, API + "/status").status()).isEqualTo(403);
            assertThat(server.get(ADMIN, API + "/status").status()).isEqualTo(200);
        }

        List<JsonNode> lines = lines();
        assertThat(lines)
                .extracting(AuditTest::summary)
                .containsExactly(
                        "s3 writer PutObject data/o-new allowed 200",
                        "s3 alice PutObject data/o-new denied 403",
                        "s3 anonymous GetObject data/o-01 denied 403",
                        "control writer POST /api/v1/invalidations allowed 204",
                        "control alice GET /api/v1/status denied 403");
        assertThat(lines.get(0).get("bytesIn").asLong()).isEqualTo("content".length());
        assertThat(lines.get(0).get("userAgent").asString()).startsWith("Java-http-client");
        assertThat(lines.get(0).get("address").asString()).contains("127.0.0.1");
        assertThat(lines.get(0).get("requestId").asString()).isNotEmpty();
        assertThat(Files.readString(log())).doesNotContain("canary", "secret", "Signature", "AWS4", "Bearer");
    }

    @Test
    void recordsReadsIfSetOfBothPaths() throws Exception {
        try (ApiServer server = start("reads: true, ")) {
            for (int i = 0; i < 5; i++) {
                assertThat(s3(server, ALICE, "GET", "data/o-01", "").status()).isEqualTo(200);
            }
            awaitLines(5);
            assertThat(server.get(ADMIN, API + "/status").status()).isEqualTo(200);
        }

        assertThat(lines())
                .extracting(AuditTest::summary)
                .hasSize(6)
                .startsWith("s3 alice GetObject data/o-01 allowed 200")
                .endsWith("s3 alice GetObject data/o-01 allowed 200", "control admin GET /api/v1/status allowed 200");
    }

    @Test
    void eachKeyOfADeletionHasALine() throws Exception {
        String keys = "<Delete><Object><Key>o-01</Key></Object><Object><Key>o-02</Key></Object></Delete>";
        try (ApiServer server = start("")) {
            assertThat(s3(server, ADMIN, "POST", "data?delete", keys).status()).isEqualTo(200);
        }

        List<JsonNode> lines = lines();
        assertThat(lines)
                .extracting(AuditTest::summary)
                .containsExactly(
                        "s3 admin DeleteObjects data/ allowed 200",
                        "s3 admin DeleteObjects data/o-01 allowed 200",
                        "s3 admin DeleteObjects data/o-02 allowed 200");
        assertThat(lines)
                .extracting(line -> line.path("requestId").asString())
                .containsOnly(lines.get(0).path("requestId").asString());
    }

    /** A line each would be lost, or make others be refused, with the second batch of this size. */
    @Test
    void itemsOfABatchShareLines() throws Exception {
        String json = "{\"coer\":true,\"in\":[{\"objname\":\"o-01\"},%s,{\"objname\":\"o-01\"}]}"
                .formatted(IntStream.range(0, 4094)
                        .mapToObj("{\"objname\":\"absent-%d\"}"::formatted)
                        .collect(Collectors.joining(",")));
        try (ApiServer server = start("reads: true, ")) {
            assertThat(s3(server, ADMIN, "POST", "data?batch", json).status()).isEqualTo(200);
        }

        List<JsonNode> lines = lines();
        assertThat(lines).extracting(AuditTest::summary).containsOnly("s3 admin GetBatch data/ allowed 200");
        assertThat(lines).hasSize(1 + 128);
        assertThat(lines.get(0).has("keys")).isFalse();
        assertThat(lines.subList(1, lines.size()).stream()
                        .flatMap(line -> line.path("keys").valueStream())
                        .map(JsonNode::asString))
                .hasSize(4095)
                .doesNotHaveDuplicates()
                .contains("o-01", "absent-0", "absent-4093");
    }

    @Test
    void deniedItemsOfABatchAreRecordedThoughReadsAreNot() throws Exception {
        String json = "{\"coer\":true,\"in\":[{\"objname\":\"a\",\"bucket\":\"other\"},{\"objname\":\"o-01\"},"
                + "{\"objname\":\"b\\nc\",\"bucket\":\"other\"},{\"objname\":\"%s\",\"bucket\":\"other\"}]}"
                        .formatted("k".repeat(1024));
        try (ApiServer server = start("")) {
            assertThat(s3(server, ALICE, "POST", "data?batch", json).status()).isEqualTo(200);
        }

        List<JsonNode> lines = lines();
        assertThat(lines).extracting(AuditTest::summary).containsOnly("s3 alice GetBatch other/ denied 200");
        assertThat(lines)
                .extracting(line ->
                        line.path("keys").valueStream().map(JsonNode::asString).toList())
                .containsExactly(List.of("a", "b\nc"), List.of("k".repeat(1024)));
    }

    @Test
    void refusesWhatCannotBeRecordedBeforeItTakesEffect() throws Exception {
        try (ApiServer server = start("")) {
            breakLog();
            assertThat(s3(server, WRITER, "PUT", "data/o-lost", "content").status())
                    .isEqualTo(200);
            Polling.until(
                    "writes are refused",
                    () -> s3(server, WRITER, "PUT", "data/o-refused", "content").status() == 503);
            Files.deleteIfExists(server.bucket().resolve("o-refused"));

            assertThat(s3(server, WRITER, "PUT", "data/o-refused", "content").status())
                    .isEqualTo(503);
            assertThat(server.bucket().resolve("o-refused")).doesNotExist();
            assertThat(server.post(WRITER, API + "/invalidations", "{\"bucket\":\"data\"}")
                            .status())
                    .isEqualTo(503);
            assertThat(s3(server, ALICE, "GET", "data/o-01", "").status()).isEqualTo(200);
            assertThat(alarms(server)).contains("audit-log critical");
            // Not throttled, which is no failure of the gateway.
            assertThat(server.get(ADMIN, API + "/errors").text())
                    .contains("\"outcome\":\"server_error\"")
                    .doesNotContain("throttled");

            Files.delete(log().getParent());
            Files.createDirectory(log().getParent());
            Polling.until(
                    "writes are served again",
                    () -> s3(server, WRITER, "PUT", "data/o-later", "content").status() == 200);
        }
        assertThat(Files.readString(log())).contains("o-lost", "o-later");
    }

    private static List<String> alarms(ApiServer server) throws Exception {
        return server.get(ADMIN, API + "/status")
                .json()
                .path("alarms")
                .valueStream()
                .map(alarm -> alarm.path("kind").asString() + " "
                        + alarm.path("level").asString())
                .toList();
    }

    /** Where Boot takes itself to be on Kubernetes, it believes such headers of anyone, unless it is told not to. */
    @ParameterizedTest
    @ValueSource(strings = {"none", "kubernetes"})
    void namesTheClientOfADeclaredProxyOnTheControlPort(String platform) throws Exception {
        System.setProperty(PLATFORM, platform);
        try {
            checkClientsOfProxies();
        } finally {
            System.clearProperty(PLATFORM);
        }
    }

    private void checkClientsOfProxies() throws Exception {
        Files.createDirectory(log().getParent());
        for (String declared : List.of("127.0.0.1", "10.0.0.0/8")) {
            try (ApiServer server = ApiServer.start(
                    folder,
                    BUCKETS,
                    "audit: { path: " + log() + " }\n",
                    Map.of("MILLRACE_S3_TRUSTED_PROXIES", declared))) {
                String body = "{\"bucket\":\"data\",\"key\":\"o-01\"}";
                Map<String, String> headers = new HashMap<>(
                        server.signature(WRITER, "POST", server.uri(API + "/invalidations"), ApiServer.hash(body)));
                headers.put("X-Forwarded-For", "198.51.100.1, 203.0.113.9");
                assertThat(ApiServer.send(server.request("POST", API + "/invalidations", body, headers))
                                .status())
                        .isEqualTo(204);
            }
        }

        assertThat(lines())
                .extracting(line -> line.path("address").asString())
                .containsExactly("203.0.113.9", "127.0.0.1");
    }

    /** Replaces the folder of the log by a file. */
    private void breakLog() throws IOException {
        Files.delete(log());
        Files.delete(log().getParent());
        Files.createFile(log().getParent());
    }

    private ApiServer start(String options) throws Exception {
        Files.createDirectory(log().getParent());
        return ApiServer.start(folder, BUCKETS, "audit: { " + options + "path: " + log() + " }\n");
    }

    private Path log() {
        return folder.resolve("audit/audit.log");
    }

    private List<JsonNode> lines() throws IOException {
        return Files.readAllLines(log()).stream().map(JSON::readTree).toList();
    }

    /** A request of S3 is recorded after its response, so perhaps after what its client does next. */
    private void awaitLines(int count) {
        Polling.until(count + " lines", () -> Files.readAllLines(log()).size() >= count);
    }

    private static String summary(JsonNode line) {
        String subject = line.has("bucket")
                ? line.path("bucket").asString() + "/" + line.path("key").asString() + " "
                : "";
        return "%s %s %s %s%s %d"
                .formatted(
                        line.path("via").asString(),
                        line.path("identity").asString("-"),
                        line.path("operation").asString(),
                        subject,
                        line.path("decision").asString(),
                        line.path("status").asInt());
    }

    private static Response s3(ApiServer server, Caller caller, String method, String path, String body)
            throws Exception {
        URI uri = s3Uri(server, path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        Map<String, String> signature = server.signature(caller, method, uri, ApiServer.hash(body));
        signature.forEach(request::header);
        return ApiServer.send(request.build());
    }

    private static URI s3Uri(ApiServer server, String path) {
        return URI.create("http://127.0.0.1:" + server.s3Port() + "/" + path);
    }
}
