package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.API;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.app.ApiServer.Response;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Tests jobs and residency of buckets that may not exist, as any name can be one that a pattern gives. */
class ApiPatternBucketsTest {
    @Test
    void missingBucketIsRefused(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(folder, "{ name: \"*\", backend: local }")) {
            Response prefetch = server.post(ADMIN, API + "/jobs", job("prefetch", "nope", ""));
            Response copy = server.post(ADMIN, API + "/jobs", job("copy", "data", ",\"to\":{\"bucket\":\"nope\"}"));
            Response cached = server.post(ADMIN, API + "/jobs", job("evict", "nope", ""));
            Response existing = server.post(ADMIN, API + "/jobs", job("prefetch", "data", ""));

            assertThat(prefetch.status()).isEqualTo(400);
            assertThat(prefetch.field("field")).isEqualTo("from.bucket");
            assertThat(prefetch.field("detail")).contains("does not exist at backend 'local'");
            assertThat(copy.status()).isEqualTo(400);
            assertThat(copy.field("field")).isEqualTo("to.bucket");
            assertThat(cached.status()).isEqualTo(400);
            assertThat(cached.field("detail")).contains("does not exist at backend 'local'");
            assertThat(existing.status()).isEqualTo(201);
        }
    }

    @Test
    void residencyOfAMissingBucketIsRefusedAndOfAnEmptyPrefixIsNot(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(folder, "{ name: \"*\", backend: local }")) {
            Response missing = server.get(ADMIN, API + "/residency?bucket=nope");
            Response empty = server.get(ADMIN, API + "/residency?bucket=data&prefix=none/");

            assertThat(missing.status()).isEqualTo(400);
            assertThat(missing.field("field")).isEqualTo("bucket");
            assertThat(missing.field("detail")).contains("does not exist at backend 'local'");
            assertThat(empty.status()).isEqualTo(200);
        }
    }

    @Test
    void objectOfAMissingBucketIsNotExplainedAndAnUnknownOneIs(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(folder, "{ name: \"*\", backend: local }")) {
            Response missing = server.get(ADMIN, API + "/explain?bucket=nope&key=a");
            Response unknown = server.get(ADMIN, API + "/explain?bucket=data&key=a");

            assertThat(missing.status()).isEqualTo(400);
            assertThat(missing.field("field")).isEqualTo("bucket");
            assertThat(missing.field("detail")).contains("does not exist at backend 'local'");
            assertThat(unknown.field("next")).isEqualTo("miss");
        }
    }

    @Test
    void getWhoseBackendIsDownIsExplainedAsOneThatFails(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(folder, "{ name: data, backend: local }")) {
            Path root = requireNonNull(server.bucket().getParent());
            Files.move(root, root.resolveSibling("moved"));

            assertThat(server.get(ADMIN, API + "/explain?bucket=data&key=a").field("sentence"))
                    .startsWith("The next GET fails with ServiceUnavailable unless backend 'local' is back");
        }
    }

    @Test
    void invalidationOfAMissingBucketIsRefusedUnlessSomethingOfItIsStored(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(folder, "{ name: \"*\", backend: local }")) {
            for (String where : List.of("\"key\":\"a\"", "\"prefix\":\"\"")) {
                Response missing = invalidate(server, "nope", where);
                assertThat(missing.status()).isEqualTo(400);
                assertThat(missing.field("detail")).contains("does not exist at backend 'local'");
                assertThat(invalidate(server, "data", where).status()).isEqualTo(204);
            }
            String id = server.post(ADMIN, API + "/jobs", job("prefetch", "data", ""))
                    .field("id");
            server.awaitEnd(id);
            Files.move(server.bucket(), server.bucket().resolveSibling("moved"));

            assertThat(invalidate(server, "data", "\"prefix\":\"\"").status()).isEqualTo(204);
        }
    }

    @Test
    void whatIsCachedOfADeletedBucketMayBeEvicted(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(folder, "{ name: data, backend: local }")) {
            String id = server.post(ADMIN, API + "/jobs", job("prefetch", "data", ""))
                    .field("id");
            server.awaitEnd(id);
            Files.move(server.bucket(), server.bucket().resolveSibling("moved"));

            assertThat(server.post(ADMIN, API + "/jobs", job("evict", "data", ""))
                            .status())
                    .isEqualTo(201);
        }
    }

    @Test
    void missingBucketOfAnEntryIsRefusedAsOneOfAPatternIs(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(folder, "{ name: entry, backend: local, bucket: nope }")) {
            List<Response> all = List.of(
                    server.post(ADMIN, API + "/jobs", job("evict", "entry", "")),
                    server.post(ADMIN, API + "/jobs", job("prefetch", "entry", "")),
                    server.get(ADMIN, API + "/residency?bucket=entry"),
                    server.get(ADMIN, API + "/explain?bucket=entry&key=a"),
                    invalidate(server, "entry", "\"key\":\"a\""));

            assertThat(all).allSatisfy(refused -> {
                assertThat(refused.status()).isEqualTo(400);
                // The name at the backend is the operator's.
                assertThat(refused.field("detail"))
                        .contains("does not exist at backend 'local', where it has another name")
                        .doesNotContain("nope");
            });
        }
    }

    @Test
    void missingSourceOfADerivedBucketIsNamed(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(
                folder, "{ name: samples, derived: { from: nope } }, { name: \"*\", backend: local }")) {
            List<Response> all = List.of(
                    server.post(ADMIN, API + "/jobs", job("prefetch", "samples", "")),
                    server.get(ADMIN, API + "/explain?bucket=samples&key=a.tar/b"));

            assertThat(all).allSatisfy(refused -> {
                assertThat(refused.status()).isEqualTo(400);
                assertThat(refused.field("detail"))
                        .isEqualTo("is derived from bucket 'nope', which does not exist at backend 'local'");
            });
            assertThat(server.get(ADMIN, API + "/backends")
                            .json()
                            .path("backends")
                            .get(0)
                            .path("buckets"))
                    .anySatisfy(bucket -> {
                        assertThat(bucket.path("bucket").asString()).isEqualTo("nope");
                        assertThat(bucket.path("state").asString()).isEqualTo("missing");
                    });
        }
    }

    private static Response invalidate(ApiServer server, String bucket, String where) throws Exception {
        return server.post(ADMIN, API + "/invalidations", "{\"bucket\":\"%s\",%s}".formatted(bucket, where));
    }

    @Test
    void cachedBytesOfAPrefixHaveItsNameBesideAPattern(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(
                folder,
                "{ name: part, backend: local, bucket: data, prefix: \"o-0\" }, { name: \"*\", backend: local }")) {
            String id = server.post(ADMIN, API + "/jobs", job("prefetch", "part", ""))
                    .field("id");
            server.awaitEnd(id);

            JsonNode counted =
                    server.get(ADMIN, API + "/status").json().path("cache").path("residency");

            assertThat(counted).hasSize(1);
            assertThat(counted.get(0).path("bucket").asString()).isEqualTo("part");
            assertThat(counted.get(0).path("prefix").asString()).isEmpty();
            assertThat(counted.get(0).path("cachedBytes").asLong()).isPositive();
        }
    }

    @Test
    void cachedBytesHaveEachNameOfABucket(@TempDir Path folder) throws Exception {
        try (ApiServer server = ApiServer.start(
                folder,
                "{ name: data, backend: local, tracked-prefixes: [ \"o-0\" ] },"
                        + " { name: part, backend: local, bucket: data, prefix: \"o-0\" },"
                        + " { name: \"*\", backend: local }")) {
            String id = server.post(ADMIN, API + "/jobs", job("prefetch", "part", ""))
                    .field("id");
            server.awaitEnd(id);

            JsonNode counted =
                    server.get(ADMIN, API + "/status").json().path("cache").path("residency");

            assertThat(counted.valueStream()
                            .map(one -> one.path("bucket").asString() + "/"
                                    + one.path("prefix").asString()))
                    .containsExactlyInAnyOrder("data/", "data/o-0", "part/");
            assertThat(counted.valueStream())
                    .allSatisfy(
                            one -> assertThat(one.path("cachedBytes").asLong()).isPositive());
        }
    }

    private static String job(String kind, String bucket, String more) {
        return "{\"kind\":\"%s\",\"from\":{\"bucket\":\"%s\"}%s}".formatted(kind, bucket, more);
    }
}
