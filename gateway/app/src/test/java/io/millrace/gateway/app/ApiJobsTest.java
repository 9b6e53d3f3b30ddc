package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.ADMIN;
import static io.millrace.gateway.app.ApiServer.ALICE;
import static io.millrace.gateway.app.ApiServer.API;
import static io.millrace.gateway.app.ApiServer.BOB;
import static io.millrace.gateway.app.ApiServer.KEEPER;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.app.ApiServer.Response;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Tests jobs through the API from submission to end. */
class ApiJobsTest extends ApiServerTest {
    private static final String JOBS = API + "/jobs";

    /** One object a second. */
    private static final String SLOW =
            "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\"},\"workers\":1,\"requestsPerSecond\":1}";

    private static final String FAILING = "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\","
            + "\"keys\":[\"o-00\",\"gone-1\",\"gone-2\",\"gone-3\"]},\"attempts\":1}";

    @Test
    void aPrefetchIsSubmittedAndComesToItsEnd() throws Exception {
        String requested = "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"prefix\":\"o-0\"}}";
        Response made = server.post(ALICE, JOBS, requested);
        String id = made.field("id");

        assertThat(made.status()).isEqualTo(201);
        assertThat(made.raw().headers().firstValue("location")).hasValue(JOBS + "/" + id);
        assertThat(made.json().path("request").toString()).isEqualTo(requested);
        JsonNode job = server.awaitEnd(id).json();
        assertThat(job.path("state").asString()).isEqualTo("done");
        assertThat(job.path("owner").asString()).isEqualTo("alice");
        assertThat(job.path("kind").asString()).isEqualTo("prefetch");
        assertThat(job.path("progress").path("found").asInt()).isEqualTo(10);
        assertThat(job.path("progress").path("counted").asBoolean()).isTrue();
        assertThat(Instant.parse(job.path("ended").asString()))
                .isAfterOrEqualTo(Instant.parse(job.path("submitted").asString()));
        assertThat(job.propertyNames())
                .contains("id", "kind", "owner", "state", "message", "request", "progress", "started", "activeMillis");
    }

    @Test
    void theSameClientTokenIsTheSameJob() throws Exception {
        String requested = "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\"},\"clientToken\":\"t-1\"}";
        Response first = server.post(ALICE, JOBS, requested);
        Response again = server.post(ALICE, JOBS, requested);
        Response another = server.post(ALICE, JOBS, requested.replace("\"data\"", "\"data\",\"prefix\":\"x\""));
        Response ofAnother = server.post(BOB, JOBS, requested);

        assertThat(first.status()).isEqualTo(201);
        assertThat(again.status()).isEqualTo(200);
        assertThat(again.field("id")).isEqualTo(first.field("id"));
        assertThat(another.status()).isEqualTo(409);
        assertThat(ofAnother.status()).isEqualTo(201);
    }

    @Test
    void callersSeeTheirJobsAndAdministratorsSeeAll() throws Exception {
        String id = server.post(ALICE, JOBS, SLOW).field("id");

        for (String path : List.of("", "/failures")) {
            assertThat(server.get(BOB, JOBS + "/" + id + path).status()).isEqualTo(404);
        }
        for (String path : List.of("/pause", "/resume", "/cancel", "/retry")) {
            Response hidden = server.post(BOB, JOBS + "/" + id + path, "");
            assertThat(hidden.status()).isEqualTo(404);
            assertThat(hidden.type()).isEqualTo("application/problem+json");
            assertThat(hidden.text().replace(id, "nosuchjob"))
                    .isEqualTo(server.post(BOB, JOBS + "/nosuchjob" + path, "").text());
        }
        assertThat(server.send(BOB, "DELETE", JOBS + "/" + id, "").status()).isEqualTo(404);
        assertThat(server.get(BOB, JOBS + "?limit=1000").text()).doesNotContain(id);
        assertThat(server.get(ALICE, JOBS + "?limit=1000").text()).contains(id);
        assertThat(server.get(ADMIN, JOBS + "/" + id).status()).isEqualTo(200);
        assertThat(server.get(KEEPER, JOBS + "?limit=1000").text()).contains(id);
        assertThat(server.post(KEEPER, JOBS + "/" + id + "/cancel", "").status())
                .isEqualTo(200);
    }

    @Test
    void jobIsPausedResumedCancelledAndDeleted() throws Exception {
        String job = JOBS + "/" + server.post(ALICE, JOBS, SLOW).field("id");

        assertThat(server.send(ALICE, "DELETE", job, "").status()).isEqualTo(409);
        assertThat(server.post(ALICE, job + "/resume", "").status()).isEqualTo(409);
        assertThat(server.post(ALICE, job + "/retry", "").status()).isEqualTo(409);
        assertThat(server.post(ALICE, job + "/pause", "").status()).isEqualTo(200);
        awaitState(job, "paused");
        assertThat(server.post(ALICE, job + "/resume", "").status()).isEqualTo(200);
        assertThat(server.post(ALICE, job + "/cancel", "").status()).isEqualTo(200);
        awaitState(job, "cancelled");
        assertThat(server.post(ALICE, job + "/cancel", "").status()).isEqualTo(409);
        assertThat(server.send(ALICE, "DELETE", job, "").status()).isEqualTo(204);
        assertThat(server.get(ALICE, job).status()).isEqualTo(404);
    }

    @Test
    void listsFailuresInPagesAndRetriesThem() throws Exception {
        Response made = server.post(ALICE, JOBS, FAILING);
        String job = JOBS + "/" + made.field("id");
        Response ended = server.awaitEnd(made.field("id"));
        assertThat(ended.field("state")).isEqualTo("done-with-failures");

        List<String> keys = new ArrayList<>();
        String after = "0";
        while (!after.isEmpty()) {
            JsonNode page =
                    server.get(ALICE, job + "/failures?limit=2&after=" + after).json();
            page.path("failures").forEach(failure -> {
                assertThat(failure.path("reason").asString()).contains("NoSuchKey");
                keys.add(failure.path("key").asString());
            });
            after = page.path("next").asString("");
        }
        assertThat(keys).containsExactlyInAnyOrder("gone-1", "gone-2", "gone-3");

        Files.writeString(server.bucket().resolve("gone-1"), "here now");
        Response retry = server.post(ALICE, job + "/retry", "");
        assertThat(retry.status()).isEqualTo(201);
        assertThat(retry.json().path("request").path("from").toString())
                .isEqualTo("{\"bucket\":\"data\",\"failuresOf\":\"%s\"}".formatted(made.field("id")));
        JsonNode progress = server.awaitEnd(retry.field("id")).json().path("progress");
        Files.delete(server.bucket().resolve("gone-1"));
        assertThat(progress.path("found").asInt()).isEqualTo(3);
        assertThat(progress.path("failed").asInt()).isEqualTo(2);
    }

    @Test
    void refusesRetryOfAJobWithoutFailures() throws Exception {
        String id = server.post(
                        ALICE, JOBS, "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"keys\":[\"o-00\"]}}")
                .field("id");
        server.awaitEnd(id);

        assertThat(server.post(ALICE, JOBS + "/" + id + "/retry", "").status()).isEqualTo(409);
    }

    @Test
    void jobsAreListedInPagesTheYoungestFirst() throws Exception {
        List<String> made = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            made.add(
                    0,
                    server.post(
                                    BOB,
                                    JOBS,
                                    "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"prefix\":\"" + i + "\"}}")
                            .field("id"));
        }

        List<String> listed = new ArrayList<>();
        String before = "";
        do {
            JsonNode page = server.get(BOB, JOBS + "?limit=2" + before).json();
            assertThat(page.path("jobs").size()).isLessThanOrEqualTo(2);
            page.path("jobs").forEach(job -> listed.add(job.path("id").asString()));
            before = page.has("next") ? "&before=" + page.path("next").asString() : "";
        } while (!before.isEmpty());
        assertThat(listed).containsSubsequence(made).doesNotHaveDuplicates();
    }

    @Test
    void jobsAreListedByState() throws Exception {
        String slow = server.post(ALICE, JOBS, SLOW).field("id");
        String failing = server.post(ALICE, JOBS, FAILING).field("id");
        server.awaitEnd(failing);

        assertThat(listed("active")).contains(slow).doesNotContain(failing);
        assertThat(listed("failed,done-with-failures")).contains(failing).doesNotContain(slow);
        assertThat(listed("failed,active")).contains(slow).doesNotContain(failing);
        assertThat(server.get(ALICE, JOBS + "?state=active&before=" + slow).text())
                .doesNotContain(slow);
        Response unknown = server.get(ALICE, JOBS + "?state=active,broken");
        assertThat(unknown.status()).isEqualTo(400);
        assertThat(unknown.field("field")).isEqualTo("state");
        server.post(ALICE, JOBS + "/" + slow + "/cancel", "");
    }

    private List<String> listed(String states) throws Exception {
        return server.get(ALICE, JOBS + "?limit=1000&state=" + states)
                .json()
                .path("jobs")
                .valueStream()
                .map(job -> job.path("id").asString())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"copy", "download", "evict", "verify"})
    void forbidsJobsWithoutTheRights(String kind) throws Exception {
        String to = kind.equals("evict") ? "" : ",\"to\":{\"bucket\":\"other\"}";
        String from = kind.equals("download") ? "\"urls\":[\"https://example.org/a\"]" : "\"bucket\":\"data\"";
        Response response = server.post(ALICE, JOBS, "{\"kind\":\"%s\",\"from\":{%s}%s}".formatted(kind, from, to));

        assertThat(response.status()).isEqualTo(403);
        assertThat(response.type()).isEqualTo("application/problem+json");
    }

    @Test
    void forbidsUnreadableAndMissingBucketsAlike() throws Exception {
        for (String bucket : List.of("other", "nothing")) {
            assertThat(server.post(
                                    ALICE,
                                    JOBS,
                                    "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"%s\"}}".formatted(bucket))
                            .status())
                    .isEqualTo(403);
        }
    }

    @Test
    void aTokenDoesWhatASignatureDoes() throws Exception {
        Map<String, String> bearer = Map.of("authorization", "Bearer " + ALICE.token());
        Response made = ApiServer.send(server.request(
                "POST", JOBS, "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\",\"keys\":[\"o-00\"]}}", bearer));

        assertThat(made.status()).isEqualTo(201);
        assertThat(made.field("owner")).isEqualTo("alice");
        server.awaitEnd(made.field("id"));
    }

    private static void awaitState(String job, String state) {
        Polling.until(
                "state " + state, () -> server.get(ADMIN, job).field("state").equals(state));
    }
}
