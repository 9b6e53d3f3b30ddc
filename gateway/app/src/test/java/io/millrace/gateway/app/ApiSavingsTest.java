package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.ALICE;
import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.app.ApiServer.Response;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Tests that reported residency and savings match the requests of clients. */
class ApiSavingsTest {
    private static final String BUCKETS = """
            { name: data, backend: local, freshness: { mode: immutable }, quota: 50%, tracked-prefixes: [ a/, "a/b/" ] },
              { name: part, backend: local, bucket: other, prefix: in/, tracked-prefixes: x/, prices: { egress-per-gb: 1000 } },
              { name: "*", backend: local, anonymous: read } ]
            prices: { local: { egress-per-gb: 2000000, per-thousand-requests: 500 } }
            downloads:
              allowed-urls: [ "https://example.com/"\
            """;

    private static final int BYTES = 100_000;

    @TempDir
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private ApiServer server;

    @BeforeEach
    void start() throws Exception {
        server = ApiServer.start(folder, BUCKETS);
        for (String key : new String[] {"a/1", "a/b/2", "c/3"}) {
            write(server.bucket().resolve(key));
        }
        write(server.bucket().resolveSibling("other").resolve("in/x/4"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void reportsResidencyAfterARestart() throws Exception {
        read("GET", "data/a/1");
        read("GET", "data/a/b/2");
        read("GET", "data/c/3");
        read("GET", "part/x/4");

        assertResidency("data", "", 3);
        assertResidency("part", "x/", 1);
        server.close();
        server = ApiServer.start(folder, BUCKETS);

        assertResidency("data", "a/", 2);
        assertResidency("data", "a/b/", 1);
        assertResidency("part", "x/", 1);
        assertThat(metrics())
                .contains("millrace_cache_resident_bytes" + labels("data", "a/", "data", "a/") + " 200000.0")
                .contains("millrace_cache_resident_bytes" + labels("part", "", "other", "in/") + " 100000.0")
                .contains("millrace_cache_quota_bytes" + labels("data", "", "data", "") + " 5.36870912E8");
    }

    /** Prometheus sorts labels by name. */
    private static String labels(String bucket, String prefix, String backendBucket, String backendPrefix) {
        return "{backend=\"local\",backend_bucket=\"%s\",backend_prefix=\"%s\",bucket=\"%s\",prefix=\"%s\"}"
                .formatted(backendBucket, backendPrefix, bucket, prefix);
    }

    @Test
    void metersHaveClientAndBackendNames() throws Exception {
        JsonNode counted =
                server.get(ADMIN, API + "/status").json().path("cache").path("residency");

        assertThat(counted).anySatisfy(one -> {
            assertThat(one.path("bucket").asString()).isEqualTo("part");
            assertThat(one.path("prefix").asString()).isEqualTo("x/");
            assertThat(one.path("backendBucket").asString()).isEqualTo("other");
            assertThat(one.path("backendPrefix").asString()).isEqualTo("in/x/");
        });
    }

    @Test
    void statusCountsMatchTheResidencyScan() throws Exception {
        read("GET", "data/a/1");
        read("GET", "data/a/b/2");
        read("GET", "data/c/3");
        assertResidency("data", "a/", 2);

        JsonNode counted =
                server.get(ADMIN, API + "/status").json().path("cache").path("residency");

        assertThat(counted).anySatisfy(one -> {
            assertThat(one.path("bucket").asString()).isEqualTo("data");
            assertThat(one.path("prefix").asString()).isEqualTo("a/");
            assertThat(one.path("blocks").asInt()).isEqualTo(2);
            assertThat(one.path("cachedBytes").asInt()).isEqualTo(2 * BYTES);
            assertThat(one.has("objects")).isFalse();
        });
    }

    @Test
    void reportsResidencyOfUntrackedPrefixes() throws Exception {
        read("GET", "data/c/3");

        assertResidency("data", "", 1);
        assertResidency("data", "c/", 1);
        assertThat(residency("data", "c/", "").has("blocks")).isFalse();
    }

    @Test
    void readingInStepsReportsTheSame() throws Exception {
        read("GET", "data/c/3");
        assertResidency("data", "", 1);

        JsonNode step = residency("data", "c/", "&from=");
        int objects = step.path("objects").asInt();
        for (int i = 0; i < 100 && step.has("next"); i++) {
            step = residency("data", "c/", "&from=" + step.path("next").asString());
            objects += step.path("objects").asInt();
        }

        assertThat(objects).isEqualTo(1);
        assertThat(step.path("read").asDouble()).isEqualTo(1);
        assertThat(server.get(ADMIN, API + "/residency?bucket=data&prefix=c/&from=nonsense")
                        .field("field"))
                .isEqualTo("from");
    }

    @Test
    void countsAreForWhoMayList() throws Exception {
        assertThat(server.get(ALICE, API + "/residency?bucket=part&prefix=x/").status())
                .isEqualTo(403);
    }

    @Test
    void savingsAreServedLessFetchedBytes() throws Exception {
        for (int i = 0; i < 5; i++) {
            read("GET", "data/a/1");
        }
        read("HEAD", "data/a/1");
        read("GET", "data/nowhere");

        JsonNode saved = saved("data", one -> one.path("requestsServed").asInt() == 7);

        assertThat(saved.path("servedBytes").asLong()).isEqualTo(5 * BYTES);
        assertThat(saved.path("fetchedBytes").asLong()).isEqualTo(BYTES);
        assertThat(saved.path("savedBytes").asLong()).isEqualTo(4 * BYTES);
        long sent = saved.path("requestsSent").asLong();
        assertThat(sent).isBetween(2L, 4L);
        assertThat(saved.path("requestsSaved").asLong()).isEqualTo(7 - sent);
        assertThat(saved.path("moneySaved").asDouble())
                .isCloseTo(4 * BYTES / 1e9 * 2_000_000 + (7 - sent) / 1e3 * 500, within(1e-6));
        assertThat(metrics())
                .contains("millrace_saved_bytes{backend=\"local\",backend_bucket=\"data\",bucket=\"data\"} 400000.0")
                .contains("millrace_saved_money{backend=\"local\",backend_bucket=\"other\",bucket=\"part, other\"} ");
    }

    @Test
    void readsAreCountedByTheResultOfTheCache() throws Exception {
        read("GET", "data/a/1");
        assertResidency("data", "", 1);
        read("GET", "data/a/1");
        Polling.until(
                "requests end shortly after the response",
                () -> reads().path("hits").asInt() == 1);

        assertThat(reads().path("misses").asInt()).isEqualTo(1);
        assertThat(reads().path("stale").asInt()).isZero();
        assertThat(reads().path("bypassed").asInt()).isZero();
    }

    private JsonNode reads() throws Exception {
        return server.get(ADMIN, API + "/status").json().path("reads");
    }

    @Test
    void bucketsOwnPricesCount() throws Exception {
        read("GET", "part/x/4");
        read("GET", "part/x/4");

        JsonNode saved = saved("other", one -> one.path("requestsServed").asInt() == 2);

        assertThat(saved.path("moneySaved").asDouble()).isCloseTo(BYTES / 1e9 * 1000, within(1e-9));
    }

    @Test
    void rangesCostTheirBytesAndRefusalsNothing() throws Exception {
        read("GET", "data/a/1");
        URI uri = URI.create("http://127.0.0.1:" + server.s3Port() + "/data/a/1");
        HttpRequest.Builder range = HttpRequest.newBuilder(uri).header("range", "bytes=0-99");
        server.signature(ADMIN, "GET", uri, ApiServer.hash("")).forEach(range::header);
        assertThat(ApiServer.send(range.build()).status()).isEqualTo(206);
        assertThat(ApiServer.send(HttpRequest.newBuilder(uri).build()).status()).isEqualTo(403);

        JsonNode saved = saved("data", one -> one.path("requestsServed").asInt() == 2);

        assertThat(saved.path("servedBytes").asLong()).isEqualTo(BYTES + 100);
        assertThat(saved.path("savedBytes").asLong()).isEqualTo(100);
    }

    @Test
    void missingBucketsAreNeitherReportedNorMeterLabels() throws Exception {
        for (int i = 0; i < 20; i++) {
            URI uri = URI.create("http://127.0.0.1:" + server.s3Port() + "/junk-" + i + "/x");
            assertThat(ApiServer.send(HttpRequest.newBuilder(uri).build()).status())
                    .isEqualTo(404);
            ApiServer.send(HttpRequest.newBuilder(uri)
                    .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
                    .header("origin", "https://example.com")
                    .header("access-control-request-method", "GET")
                    .build());
        }
        read("GET", "data/a/1");
        saved("data", one -> one.path("requestsServed").asInt() == 1);

        assertThat(server.get(ADMIN, API + "/status").json().path("saved").findValuesAsString("bucket"))
                .containsExactly("data", "part, other");
        assertThat(metrics()).doesNotContain("junk");
    }

    private void assertResidency(String bucket, String prefix, int objects) throws Exception {
        Polling.until("blocks reach the disk, and requests end, shortly after the response", () -> {
            JsonNode reported = residency(bucket, prefix, "");
            return reported.path("objects").asInt() == objects
                    && reported.path("cachedBytes").asInt() == objects * BYTES;
        });
        JsonNode reported = residency(bucket, prefix, "");
        assertThat(reported.path("objects").asInt()).as(reported.toString()).isEqualTo(objects);
        assertThat(reported.path("bytes").asInt()).as(reported.toString()).isEqualTo(objects * BYTES);
        assertThat(reported.path("cachedObjects").asInt())
                .as(reported.toString())
                .isEqualTo(objects);
        assertThat(reported.path("cachedBytes").asInt()).as(reported.toString()).isEqualTo(objects * BYTES);
    }

    private JsonNode residency(String bucket, String prefix, String more) throws Exception {
        Response response = server.get(ADMIN, API + "/residency?bucket=" + bucket + "&prefix=" + prefix + more);
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        return response.json();
    }

    private JsonNode saved(String bucket, Predicate<JsonNode> when) throws Exception {
        Polling.until(
                "blocks reach the disk, and requests end, shortly after the response",
                () -> when.test(savedNow(bucket)));
        JsonNode saved = savedNow(bucket);
        assertThat(when.test(saved)).as(saved.toString()).isTrue();
        return saved;
    }

    private JsonNode savedNow(String bucket) throws Exception {
        for (JsonNode one : server.get(ADMIN, API + "/status").json().path("saved")) {
            if (one.path("backendBucket").asString().equals(bucket)) {
                return one;
            }
        }
        return server.get(ADMIN, API + "/status").json().path("nothing");
    }

    private String metrics() throws Exception {
        return ApiServer.send(HttpRequest.newBuilder(server.uri("/metrics")).build())
                .text();
    }

    private void read(String method, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.s3Port() + "/" + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).method(method, HttpRequest.BodyPublishers.noBody());
        server.signature(ADMIN, method, uri, ApiServer.hash("")).forEach(request::header);
        ApiServer.send(request.build());
    }

    private static void write(Path file) throws Exception {
        Files.createDirectories(file.getParent());
        Files.write(file, new byte[BYTES]);
    }
}
