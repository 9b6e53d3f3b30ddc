package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.gateway.app.ApiServer.Caller;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Operators are told where an object of a derived bucket is, and what its archive hides. */
class ApiDerivedBucketTest {
    private static final byte[] CONTENT = "content of one".getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path folder;

    private ApiServer server;

    @BeforeEach
    void start() throws Exception {
        server = ApiServer.start(
                folder,
                "{ name: data, backend: local, freshness: { mode: immutable } }, { name: other, derived: { from: data }"
                        + " }");
        Files.write(server.bucket().resolve("a.zip"), zip());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static byte[] zip() throws IOException {
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(archive)) {
            zip.putNextEntry(new ZipEntry("folder/"));
            ZipEntry one = new ZipEntry("one");
            one.setMethod(ZipEntry.STORED);
            one.setSize(CONTENT.length);
            CRC32 sum = new CRC32();
            sum.update(CONTENT);
            one.setCrc(sum.getValue());
            zip.putNextEntry(one);
            zip.write(CONTENT);
        }
        return archive.toByteArray();
    }

    @Test
    void explainTellsThePlaceOfAMember() throws Exception {
        JsonNode before = explain(ADMIN, "other", "a.zip/one");
        assertThat(before.path("next").asString()).isEqualTo("miss");
        assertThat(before.path("archive").path("indexed").asBoolean()).isFalse();
        assertThat(before.path("sentence").asString()).contains("no index", "backend 'local'");

        readOne();

        JsonNode after = explain(ADMIN, "other", "a.zip/one");
        JsonNode archive = after.path("archive");
        assertThat(after.path("next").asString()).isEqualTo("hit");
        assertThat(after.path("backend").asString()).isEqualTo("local");
        assertThat(after.path("freshness").path("mode").asString()).isEqualTo("immutable");
        assertThat(after.path("sentence").asString()).contains("'a.zip' in bucket 'data' (stored)", "from the cache");
        assertThat(archive.path("bucket").asString()).isEqualTo("data");
        assertThat(archive.path("key").asString()).isEqualTo("a.zip");
        assertThat(archive.path("indexed").asBoolean()).isTrue();
        assertThat(archive.path("members").asInt()).isEqualTo(1);
        assertThat(archive.path("hidden").path("folder").asInt()).isEqualTo(1);
        assertThat(archive.path("offset").asInt()).isPositive();
        assertThat(archive.path("encoding").asString()).isEqualTo("stored");
        JsonNode known = after.path("known");
        assertThat(known.path("size").asInt()).isEqualTo(CONTENT.length);
        assertThat(known.path("eTag").asString()).endsWith("-1\"");
        assertThat(archive.has("size")).as("it is in 'known' only").isFalse();
        assertThat(archive.has("eTag")).as("it is in 'known' only").isFalse();
        assertThat(known.has("blocks")).isFalse();
    }

    @Test
    void explainTellsWhatAnArchiveLacks() throws Exception {
        readOne();

        JsonNode absent = explain(ADMIN, "other", "a.zip/none");
        JsonNode outside = explain(ADMIN, "other", "one");
        JsonNode itself = explain(ADMIN, "data", "a.zip");

        assertThat(absent.path("next").asString()).isEqualTo("missing");
        assertThat(absent.path("sentence").asString()).contains("NoSuchKey", "by reason: 1 folder.");
        assertThat(outside.path("next").asString()).isEqualTo("missing");
        assertThat(outside.path("sentence").asString()).contains("no archive in bucket 'data'");
        assertThat(outside.path("sentence").asString()).contains("the pattern of 'members', \"*\"");
        assertThat(outside.has("archive")).isFalse();
        assertThat(absent.has("known")).isFalse();
        assertThat(itself.path("known").path("blocks").asInt()).isEqualTo(1);
        assertThat(itself.path("next").asString()).isEqualTo("hit");
        assertThat(itself.path("archive").path("members").asInt()).isEqualTo(1);
        assertThat(itself.path("archive").has("offset")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "a.zip, NoSuchKey: the key is that of an archive in bucket",
        "b.tar.gz/one, 'NotImplemented, or NoSuchKey if there is no such archive: a .tar.gz is compressed'"
    })
    void explainTellsWhyAKeyIsNoMember(String key, String why) throws Exception {
        assertThat(explain(ADMIN, "other", key).path("sentence").asString()).contains(why);
    }

    @Test
    void explainHidesMembersFromWhoMayNotList() throws Exception {
        readOne();

        JsonNode present = explain(ApiServer.READER, "other", "a.zip/one");
        JsonNode absent = explain(ApiServer.READER, "other", "a.zip/none");

        assertThat(present.has("archive")).isFalse();
        assertThat(absent.path("next")).isEqualTo(present.path("next"));
        assertThat(absent.path("sentence")).isEqualTo(present.path("sentence"));
    }

    @Test
    void bucketsTellWhatTheyAreDerivedFrom() throws Exception {
        JsonNode buckets = server.get(ADMIN, API + "/buckets").json().path("buckets");

        assertThat(buckets.valueStream())
                .anySatisfy(bucket -> {
                    assertThat(bucket.path("name").asString()).isEqualTo("other");
                    assertThat(bucket.path("derivedFrom").asString()).isEqualTo("data");
                    assertThat(bucket.path("backend").asString()).isEqualTo("local");
                    assertThat(bucket.path("freshness").path("mode").asString()).isEqualTo("immutable");
                })
                .anySatisfy(bucket -> {
                    assertThat(bucket.path("name").asString()).isEqualTo("data");
                    assertThat(bucket.has("derivedFrom")).isFalse();
                });
    }

    @Promise("I1")
    @ParameterizedTest
    @ValueSource(strings = {"", ",\"prefix\":\"a.zip/\"", ",\"key\":\"a.zip/one\""})
    void invalidationIsRefusedWithTheBucketThatHasTheArchives(String what) throws Exception {
        ApiServer.Response response = server.post(ADMIN, API + "/invalidations", "{\"bucket\":\"other\"" + what + "}");

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.text()).contains("is derived from 'data'", "name that bucket");
    }

    @Test
    void residencyTellsWhichBucketItIsOf() throws Exception {
        JsonNode derived = server.get(ADMIN, API + "/residency?bucket=other").json();
        JsonNode source = server.get(ADMIN, API + "/residency?bucket=data").json();

        assertThat(derived.path("derivedFrom").asString()).isEqualTo("data");
        assertThat(source.has("derivedFrom")).isFalse();
    }

    /** Reads the member until a read of it is a hit: its block is being stored while its reader has it already. */
    private void readOne() throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + server.s3Port() + "/other/a.zip/one");
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        server.signature(ADMIN, "GET", uri, ApiServer.hash("")).forEach(request::header);
        assertThat(ApiServer.send(request.build()).text()).isEqualTo(new String(CONTENT, StandardCharsets.UTF_8));
        Polling.until(
                "the member is cached",
                () -> explain(ADMIN, "other", "a.zip/one")
                        .path("next")
                        .asString()
                        .equals("hit"));
    }

    private JsonNode explain(Caller who, String bucket, String key) throws Exception {
        return server.get(who, API + "/explain?bucket=%s&key=%s".formatted(bucket, key))
                .json();
    }
}
