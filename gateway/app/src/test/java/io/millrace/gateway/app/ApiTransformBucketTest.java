package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.API;
import static io.millrace.gateway.app.ApiServer.READER;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordingServer;
import io.millrace.gateway.app.ApiServer.Caller;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Operators are told what has made an object of a transform's bucket, and of what. */
class ApiTransformBucketTest {
    private static final String KEY = "o-01";

    private static final Caller LOOKER = new Caller("LOOKER1");

    /** Twice "content 1". */
    private static final int SIZE = 18;

    @TempDir
    Path folder;

    private final RecordingServer service =
            new RecordingServer(request -> PlannedResponse.text(200, request.text() + request.text()));
    private ApiServer server;

    @BeforeEach
    void start() throws Exception {
        server = ApiServer.start(
                folder,
                "{ name: data, backend: local, freshness: { mode: immutable } }, { name: other, derived: { from: data,"
                        + " transform: twice } }",
                """
                - { name: looker, access-key: LOOKER1, secret-key: LOOKER1-secret, allow: [ "view:other" ] }
                transforms: { twice: { url: "%s", version: "3", args: "w=1" } }
                """.formatted(service.uri()));
    }

    @AfterEach
    void stop() {
        server.close();
        service.close();
    }

    @Test
    void explainHasTheResultAndItsMaking() throws Exception {
        JsonNode before = explain(ADMIN, "other");
        assertThat(before.path("next").asString()).isEqualTo("miss");
        assertThat(before.has("known")).isFalse();
        assertThat(before.path("transform").has("eTag")).isFalse();
        read();

        JsonNode after = explain(ADMIN, "other");
        JsonNode known = after.path("known");
        JsonNode transform = after.path("transform");

        assertThat(known.path("size").asInt()).isEqualTo(SIZE);
        assertThat(known.path("cachedBytes").asInt()).isEqualTo(SIZE);
        assertThat(known.path("blocks").asInt()).isEqualTo(1);
        assertThat(known.path("eTag").asString()).endsWith("-1\"");
        assertThat(transform.path("name").asString()).isEqualTo("twice");
        assertThat(transform.path("version").asString()).isEqualTo("3");
        assertThat(transform.path("args").asString()).isEqualTo("w=1");
        assertThat(transform.path("bucket").asString()).isEqualTo("data");
        assertThat(transform.path("key").asString()).isEqualTo(KEY);
        assertThat(transform.path("eTag"))
                .isEqualTo(explain(ADMIN, "data").path("known").path("eTag"));
    }

    /** A result may leave out what others must not see. */
    @Test
    void explainHidesTheObjectFromReaders() throws Exception {
        read();

        JsonNode explained = explain(READER, "other");

        assertThat(explained.path("known").path("size").asInt()).isEqualTo(SIZE);
        assertThat(explained.has("transform")).isFalse();
    }

    @Test
    void explainHidesTheObjectFromThoseWhoViewTheResultsAlone() throws Exception {
        read();

        JsonNode explained = explain(LOOKER, "other");

        assertThat(explained.path("known").path("size").asInt()).isEqualTo(SIZE);
        assertThat(explained.has("transform")).isFalse();
    }

    @Test
    void residencyCountsResults() throws Exception {
        read();

        // Metadata is stored while its reader goes on.
        Polling.until("it is counted", () -> residency().path("cachedObjects").asInt() == 1);

        assertThat(residency().path("cachedBytes").asInt()).isEqualTo(SIZE);
        assertThat(residency().has("derivedFrom")).isFalse();
    }

    private JsonNode residency() throws Exception {
        return server.get(ADMIN, API + "/residency?bucket=other").json();
    }

    /** Reads the result until that is a hit: its block is being stored while its reader has it already. */
    private void read() throws Exception {
        URI uri = URI.create("http://127.0.0.1:%d/other/%s".formatted(server.s3Port(), KEY));
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        server.signature(ADMIN, "GET", uri, ApiServer.hash("")).forEach(request::header);
        assertThat(ApiServer.send(request.build()).text()).hasSize(SIZE);
        Polling.until(
                "the result is cached",
                () -> explain(ADMIN, "other").path("next").asString().equals("hit"));
    }

    private JsonNode explain(Caller who, String bucket) throws Exception {
        return server.get(who, API + "/explain?bucket=%s&key=%s".formatted(bucket, KEY))
                .json();
    }
}
