package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.ALICE;
import static io.millrace.gateway.app.ApiServer.API;
import static io.millrace.gateway.app.ApiServer.BOB;
import static io.millrace.gateway.app.ApiServer.KEEPER;
import static io.millrace.gateway.app.ApiServer.WRITER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.millrace.gateway.app.ApiServer.Caller;
import io.millrace.gateway.app.ApiServer.Response;
import java.io.RandomAccessFile;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Tests the API's insight into the cache for operators and for owners of objects. */
class ApiInsightTest {
    @SuppressWarnings("NullAway.Init")
    private static ApiServer server;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        server = ApiServer.start(folder, """
                { name: data, backend: local, freshness: { mode: immutable } }, { name: other, backend: local, freshness: { negative-ttl: 1h } },
                { name: ruled, backend: local, bucket: data, cache-rules: [ { keys: "tmp/*", store: false }, { keys: "big/*", min-size: 1MiB, max-size: 2MiB } ] }
                """);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/traffic",
                "/traffic/breakdown?by=bucket",
                "/traffic/errors",
                "/backends",
                "/errors",
                "/status",
                "/alarms",
                "/disks",
                "/identities",
                "/settings"
            })
    void theGatewayAsAWholeIsForOperators(String path) throws Exception {
        assertThat(server.get(ADMIN, API + path).status()).isEqualTo(200);
        for (Caller other : List.of(ALICE, KEEPER, WRITER)) {
            Response response = server.get(other, API + path);
            assertThat(response.status()).isEqualTo(403);
            assertThat(response.field("detail")).contains("on every bucket (allow: ");
        }
    }

    @Test
    void diskIsLookedAtWhenAnOperatorRequestsIt() throws Exception {
        assertThat(server.send(KEEPER, "POST", API + "/disks/0/scrub", "").status())
                .isEqualTo(403);
        assertThat(server.send(ADMIN, "POST", API + "/disks/1/scrub", "").status())
                .isEqualTo(404);
        assertThat(scrub().has("lastEnded")).isFalse();

        assertThat(server.send(ADMIN, "POST", API + "/disks/0/scrub", "").status())
                .isEqualTo(202);

        await().pollInterval(Duration.ofMillis(100))
                .atMost(Duration.ofSeconds(60))
                .until(() -> scrub().has("lastEnded"));
        assertThat(scrub().has("lastEnded")).isTrue();
        assertThat(scrub().path("bad").asInt()).isZero();
    }

    @Test
    void acknowledgementHoldsForTheAlarmThatWasSeenOnly() throws Exception {
        String job = server.post(
                        ADMIN,
                        API + "/jobs",
                        "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"keys\":[\"not-there\"]}}")
                .field("id");
        server.awaitEnd(job);
        JsonNode alarm = alarm("job:" + job);

        assertThat(acknowledge("job:" + job, "2026-01-01T00:00:00Z").status()).isEqualTo(409);
        assertThat(acknowledge("job:" + job, "yesterday").field("detail")).startsWith("is to be a time");
        assertThat(server.post(ADMIN, API + "/alarms/acknowledgements", "{\"id\":\"job:%s\"}".formatted(job))
                        .status())
                .isEqualTo(400);
        assertThat(alarm("job:" + job).has("acknowledged")).isFalse();
        assertThat(acknowledge("job:" + job, alarm.path("since").asString()).status())
                .isEqualTo(200);
        assertThat(alarm("job:" + job).at("/acknowledged/by").asString()).isEqualTo("admin");
    }

    private static Response acknowledge(String id, String since) throws Exception {
        return server.post(
                ADMIN, API + "/alarms/acknowledgements", "{\"id\":\"%s\",\"since\":\"%s\"}".formatted(id, since));
    }

    private static JsonNode alarm(String id) throws Exception {
        return server.get(ADMIN, API + "/alarms")
                .json()
                .path("alarms")
                .valueStream()
                .filter(alarm -> alarm.path("id").asString().equals(id))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void diskThatIsNotLostDoesNotReturn() throws Exception {
        Response response = server.send(ADMIN, "POST", API + "/disks/0/reattach", "");

        assertThat(response.status()).isEqualTo(409);
        assertThat(response.field("detail")).endsWith("is not lost.");
    }

    private static JsonNode scrub() throws Exception {
        return server.get(ADMIN, API + "/disks").json().path("disks").path(0).path("scrub");
    }

    @Test
    void callersSeeTheirIdentity() throws Exception {
        assertThat(server.get(ADMIN, API + "/whoami").text())
                .startsWith("{\"name\":\"admin\",\"operator\":true,\"rights\":[\"read\",")
                .endsWith("\"admin\"]}");
        assertThat(server.get(KEEPER, API + "/whoami").text())
                .isEqualTo("{\"name\":\"keeper\",\"operator\":false,\"rights\":[]}");
    }

    @Test
    void trafficIsReportedInStepsOfTheTimeRequested() throws Exception {
        assertThat(server.get(ADMIN, API + "/traffic")
                        .json()
                        .path("stepSeconds")
                        .asInt())
                .isEqualTo(10);
        assertThat(server.get(ADMIN, API + "/traffic?minutes=61")
                        .json()
                        .path("stepSeconds")
                        .asInt())
                .isEqualTo(60);
        assertThat(server.get(ADMIN, API + "/traffic").json().path("points").isArray())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "/traffic?minutes=0, minutes",
        "/traffic?minutes=1441, minutes",
        "/traffic?minutes=x, minutes",
        "/traffic/breakdown, by",
        "/traffic/breakdown?by=key, by",
        "/traffic/breakdown?by=bucket&minutes=0, minutes",
        "/traffic/errors?minutes=1441, minutes",
        "/explain?bucket=data, key",
        "/explain?key=x, bucket",
        "/explain?bucket=no%20bucket&key=x, bucket",
        "/explain?bucket=data&key=, key",
        "/explain?bucket=nowhere&key=x, bucket"
    })
    void invalidParameterIsAProblemOfItsField(String path, String field) throws Exception {
        Response response = server.get(ADMIN, API + path);

        assertThat(response.status()).as(response.text()).isEqualTo(400);
        assertThat(response.field("field")).isEqualTo(field);
    }

    @Test
    void failedRequestsAreListedWithTheirIds() throws Exception {
        HttpResponse<String> failed = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.s3Port()
                                        + "/data/denied%20key?X-Amz-Signature=secret"))
                                .build(),
                        BodyHandlers.ofString());
        String id = failed.headers().firstValue("x-amz-request-id").orElseThrow();

        // A request is recorded after its response.
        await().atMost(Duration.ofSeconds(60)).until(() -> error(id).isPresent());
        JsonNode error = error(id).orElseThrow();
        assertThat(error.path("status").asInt()).isEqualTo(failed.statusCode()).isGreaterThanOrEqualTo(400);
        assertThat(error.path("bucket").asString()).isEqualTo("data");
        assertThat(error.path("key").asString()).isEqualTo("denied key");
        assertThat(error.path("peer").asString()).isNotEmpty();
        assertThat(error.path("code").asString()).isEqualTo("AuthorizationQueryParametersError");
        assertThat(error.path("message").asString()).isNotEmpty();
        assertThat(error.toString()).doesNotContain("secret");
    }

    private static Optional<JsonNode> error(String id) throws Exception {
        return server.get(ADMIN, API + "/errors")
                .json()
                .path("errors")
                .valueStream()
                .filter(one -> one.path("requestId").asString().equals(id))
                .findFirst();
    }

    @Test
    void statesSayWhenTheyWereFirstSeen() throws Exception {
        JsonNode first =
                server.get(ADMIN, API + "/backends").json().path("backends").path(0);
        String since = first.path("since").asString();

        assertThat(Instant.parse(since)).isBeforeOrEqualTo(Instant.now());
        assertThat(first.path("buckets").path(0).path("since").asString()).isNotEmpty();
        assertThat(server.get(ADMIN, API + "/status")
                        .json()
                        .path("cache")
                        .path("disks")
                        .path(0)
                        .path("since")
                        .asString())
                .isNotEmpty();
    }

    @Test
    void identitiesAreListedWithoutTheirSecrets() throws Exception {
        Response response = server.get(ADMIN, API + "/identities");

        JsonNode keeper = response.json()
                .path("identities")
                .valueStream()
                .filter(one -> one.path("name").asString().equals("keeper"))
                .findFirst()
                .orElseThrow();
        assertThat(keeper.path("accessKey").asString()).isEqualTo(KEEPER.accessKey());
        assertThat(keeper.path("allow").size()).isPositive();
        assertThat(response.text()).doesNotContain(KEEPER.secret().reveal());
    }

    @Test
    void settingsInForceHideSecrets() throws Exception {
        Response response = server.get(ADMIN, API + "/settings");

        assertThat(response.json()
                        .path("settings")
                        .valueStream()
                        .filter(one -> one.path("path").asString().endsWith(".secret-key"))
                        .map(one -> one.path("value").asString()))
                .isNotEmpty()
                .containsOnly("***");
        assertThat(response.json()
                        .path("settings")
                        .valueStream()
                        .filter(one -> one.path("path").asString().equals("buckets[0].freshness.mode"))
                        .map(one -> one.path("value").asString()))
                .containsExactly("immutable");
        assertThat(response.text())
                .doesNotContain(ADMIN.secret().reveal(), KEEPER.secret().reveal());
    }

    @Test
    void disksAreReportedOneByOne() throws Exception {
        JsonNode disks = server.get(ADMIN, API + "/status").json().path("cache").path("disks");

        assertThat(disks.size()).isEqualTo(1);
        assertThat(disks.path(0).path("path").asString()).endsWith("/cache");
        assertThat(disks.path(0).path("state").asString()).isEqualTo("healthy");
        assertThat(disks.path(0).path("size").asLong()).isEqualTo(1L << 30);
        assertThat(disks.path(0).path("available").asLong()).isPositive();
    }

    @Test
    void reportsTheStateOfEachBackend() throws Exception {
        JsonNode backend =
                server.get(ADMIN, API + "/backends").json().path("backends").path(0);

        assertThat(backend.path("name").asString()).isEqualTo("local");
        assertThat(backend.path("type").asString()).isEqualTo("file");
        assertThat(backend.path("state").asString()).isEqualTo("answers");
        assertThat(backend.path("message").asString()).isEmpty();
        assertThat(backend.has("lastFailure")).isFalse();
    }

    @Test
    void eachNameOfABucketHasItsOwnHealth() throws Exception {
        JsonNode buckets = server.get(ADMIN, API + "/backends")
                .json()
                .path("backends")
                .path(0)
                .path("buckets");

        assertThat(buckets.valueStream()
                        .map(one -> one.path("bucket").asString() + " "
                                + one.path("backendBucket").asString() + " "
                                + one.path("state").asString()))
                .containsExactly("data data answers", "ruled data answers", "other other answers");
    }

    @Test
    void foldersAreDistinguishedInOneReading() throws Exception {
        Files.createDirectories(server.bucket().resolve("deep/er"));
        for (String key : List.of("deep/one", "deep/er/two", "deep/er/three")) {
            Files.writeString(server.bucket().resolve(key), "12345");
            read("data/" + key);
        }
        read("data/o-03");

        // Blocks are on the disk soon after the response that they came with.
        JsonNode top = await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> server.get(ALICE, API + "/residency?bucket=data&delimiter=/")
                                .json(),
                        report -> !children(report, "o-03").isEmpty()
                                && children(report, "deep/").stream()
                                        .anyMatch(
                                                folder -> folder.path("objects").asInt() == 3));
        JsonNode deep = server.get(ALICE, API + "/residency?bucket=data&prefix=deep/&delimiter=/")
                .json();

        assertThat(child(top, "deep/").path("folder").asBoolean()).isTrue();
        assertThat(child(top, "deep/").path("objects").asInt()).isEqualTo(3);
        assertThat(child(top, "deep/").path("bytes").asInt()).isEqualTo(15);
        assertThat(child(top, "o-03").path("folder").asBoolean()).isFalse();
        assertThat(top.path("others").path("objects").asInt()).isZero();
        assertThat(child(deep, "deep/er/").path("objects").asInt()).isEqualTo(2);
        assertThat(child(deep, "deep/one").path("objects").asInt()).isEqualTo(1);
        assertThat(deep.path("objects").asInt()).isEqualTo(3);
        assertThat(server.get(WRITER, API + "/residency?bucket=data&delimiter=/")
                        .status())
                .isEqualTo(403);
        assertThat(server.get(ALICE, API + "/residency?bucket=data").json().has("children"))
                .isFalse();
    }

    @Test
    void explainReportsTheNextGetWithoutSideEffects() throws Exception {
        JsonNode before = explain(ALICE, "data", "o-15").json();
        assertThat(before.path("next").asString()).isEqualTo("miss");
        assertThat(before.path("sentence").asString())
                .contains("no metadata of it is cached")
                .contains("'local'");
        assertThat(before.has("known")).isFalse();
        assertThat(explain(ALICE, "data", "o-15").json()).isEqualTo(before);

        read("data/o-15");

        // Its block is being stored while its reader has it already.
        await().atMost(Duration.ofSeconds(60))
                .until(() -> explain(ALICE, "data", "o-15")
                        .json()
                        .path("next")
                        .asString()
                        .equals("hit"));
        JsonNode after = explain(ALICE, "data", "o-15").json();
        assertThat(after.path("sentence").asString()).contains("immutable");
        assertThat(after.path("known").path("size").asInt()).isEqualTo("content 15".length());
        assertThat(after.path("known").path("cachedBlocks").asInt()).isEqualTo(1);
        assertThat(after.path("known").path("cachedBytes").asInt()).isEqualTo("content 15".length());
        assertThat(after.path("known").has("freshSeconds")).isFalse();
        assertThat(after.path("freshness").path("mode").asString()).isEqualTo("immutable");
        assertThat(after.path("freshness").has("ttlSeconds")).isFalse();
    }

    @Test
    void explainReportsTheLastRequestsThatWereNoHits() throws Exception {
        assertThat(explain(ALICE, "data", "o-16").json().path("recent").size()).isZero();

        read("data/o-16");
        read("data/o-16");

        // A request is recorded after its last byte, so perhaps after its client has that.
        await().atMost(Duration.ofSeconds(60))
                .until(() ->
                        explain(ALICE, "data", "o-16").json().path("recent").size() > 0);
        JsonNode recent = explain(ALICE, "data", "o-16").json().path("recent");
        assertThat(recent.size()).isEqualTo(1);
        assertThat(recent.path(0).path("operation").asString()).isEqualTo("GetObject");
        assertThat(recent.path(0).path("cache").asString()).isEqualTo("miss");
        assertThat(recent.path(0).path("status").asInt()).isEqualTo(200);
        assertThat(recent.path(0).path("bytes").asInt()).isEqualTo("content 16".length());
    }

    @Test
    void rulesOfWhatIsCachedAreReported() throws Exception {
        JsonNode never = explain(ADMIN, "ruled", "tmp/x").json();
        assertThat(never.path("next").asString()).isEqualTo("bypass");
        assertThat(never.path("sentence").asString()).contains("rule for keys 'tmp/*' has store: false");

        Files.createDirectories(server.bucket().resolve("big"));
        Files.writeString(server.bucket().resolve("big/small"), "12345");
        JsonNode before = explain(ADMIN, "ruled", "big/small").json();
        assertThat(before.path("next").asString()).isEqualTo("miss");
        assertThat(before.path("sentence").asString())
                .contains("caches it if it has at least 1MiB and at most 2MiB (the bucket's rule for keys 'big/*')");
        read("ruled/big/small");
        assertThat(explain(ADMIN, "ruled", "big/small").json().path("next").asString())
                .isEqualTo("miss");
        ask("HEAD", "ruled/big/small");

        JsonNode after = explain(ADMIN, "ruled", "big/small").json();
        assertThat(after.path("next").asString()).isEqualTo("bypass");
        assertThat(after.path("known").path("size").asInt()).isEqualTo(5);
        assertThat(after.path("sentence").asString())
                .contains("it has 5 bytes, and the bucket's rule for keys 'big/*' caches objects with at least 1MiB and"
                        + " at most");
    }

    @Test
    void explainHidesMissingKeysWithoutListRight() throws Exception {
        read("other/nothing-here");

        JsonNode reported = explain(ADMIN, "other", "nothing-here").json();
        assertThat(reported.path("next").asString()).isEqualTo("missing");
        assertThat(reported.path("missingSeconds").asInt()).isBetween(1, 3600);
        JsonNode hidden = explain(ApiServer.READER, "other", "nothing-here").json();
        assertThat(hidden.path("next").asString()).isEqualTo("miss");
        assertThat(hidden.has("missingSeconds")).isFalse();
        assertThat(hidden.path("recent").size()).isZero();
    }

    @Test
    void explainingTakesTheRightToRead() throws Exception {
        assertThat(explain(BOB, "data", "o-01").status()).isEqualTo(200);
        assertThat(explain(KEEPER, "data", "o-01").status()).isEqualTo(200);
        assertThat(explain(WRITER, "data", "o-01").status()).isEqualTo(403);
        assertThat(explain(BOB, "other", "o-01").status()).isEqualTo(403);
        assertThat(explain(BOB, "nowhere", "o-01").status()).isEqualTo(403);
    }

    /** Each request reads eight million blocks: a client with many requests must not delay a client with one. */
    @Test
    void explanationsOfHugeObjectsAreFewAtATime() throws Exception {
        try (RandomAccessFile huge = new RandomAccessFile(
                server.bucket().resolveSibling("other/huge").toFile(), "rw")) {
            huge.setLength(1L << 43);
        }
        ask("HEAD", "other/huge");
        String path = API + "/explain?bucket=other&key=huge";
        HttpRequest request =
                server.request("GET", path, "", server.signature(ADMIN, "GET", server.uri(path), ApiServer.hash("")));
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        List<CompletableFuture<HttpResponse<Void>>> requested = Stream.generate(
                        () -> client.sendAsync(request, BodyHandlers.discarding()))
                .limit(9)
                .toList();

        CompletableFuture<Boolean> refused = new CompletableFuture<>();
        for (CompletableFuture<HttpResponse<Void>> one : requested) {
            CompletableFuture<Void> unused = one.thenAccept(response -> {
                if (response.statusCode() == 429) {
                    refused.complete(true);
                }
            });
        }
        assertThat(refused.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(explain(ApiServer.READER, "other", "small").status()).isEqualTo(200);

        requested.forEach(one -> one.cancel(true));
        await().pollInterval(Duration.ofMillis(100))
                .atMost(Duration.ofSeconds(60))
                .until(() -> explain(ADMIN, "other", "small").status() != 429);
        assertThat(explain(ADMIN, "other", "small").status()).isEqualTo(200);
    }

    private static Response explain(Caller who, String bucket, String key) throws Exception {
        return server.get(who, API + "/explain?bucket=%s&key=%s".formatted(bucket, key));
    }

    private static JsonNode child(JsonNode reported, String name) {
        List<JsonNode> found = children(reported, name);
        assertThat(found).as(name).hasSize(1);
        return found.get(0);
    }

    private static List<JsonNode> children(JsonNode reported, String name) {
        List<JsonNode> found = new ArrayList<>();
        reported.path("children").forEach(child -> {
            if (child.path("name").asString().equals(name)) {
                found.add(child);
            }
        });
        return found;
    }

    private static void read(String path) throws Exception {
        ask("GET", path);
    }

    private static void ask(String method, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.s3Port() + "/" + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        request.method(method, HttpRequest.BodyPublishers.noBody());
        server.signature(ADMIN, method, uri, ApiServer.hash("")).forEach(request::header);
        ApiServer.send(request.build());
    }
}
