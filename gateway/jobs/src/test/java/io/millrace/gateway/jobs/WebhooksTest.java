package io.millrace.gateway.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.RecordingServer;
import io.millrace.config.Secret;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ProgressReport;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the messages of webhooks at a real server: what they contain, who signs them, and when they come again. */
@Timeout(120)
class WebhooksTest {
    private static final Duration SOON = JobsFixture.SOON;
    private static final Instant NOW = Instant.parse("2026-12-01T03:41:07Z");
    private static final byte[] KEY = "0123456789abcdef0123456789abcdef".getBytes(UTF_8);
    private static final String KEY_TEXT = "whsec_" + Base64.getEncoder().encodeToString(KEY);

    private final RecordingServer server = new RecordingServer(request -> PlannedResponse.of(204));
    private final List<String> outcomes = new CopyOnWriteArrayList<>();
    private final AtomicLong seconds = new AtomicLong();
    private final Webhooks webhooks = new Webhooks(
            Map.of("ops", settings(server, KEY_TEXT)),
            (name, outcome) -> outcomes.add(name + " " + outcome),
            () -> NOW.plusSeconds(seconds.getAndIncrement()));

    @AfterEach
    void stop() {
        webhooks.close().block(SOON);
        server.close();
    }

    @Test
    void endOfAJobIsSentSignedWithoutItsKeysAndUrls() throws Exception {
        webhooks.ended(job(JobState.DONE_WITH_FAILURES));
        awaitOutcome("ops sent");

        RecordedRequest request = server.requests().get(0);
        String id = request.header("webhook-id").orElseThrow();
        String time = request.header("webhook-timestamp").orElseThrow();
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
        byte[] expected = mac.doFinal((id + "." + time + "." + request.text()).getBytes(UTF_8));
        assertThat(request.header("webhook-signature"))
                .contains("v1," + Base64.getEncoder().encodeToString(expected));
        assertThat(request.toString()).isEqualTo("POST /hook?to=me");
        assertThat(id).isEqualTo("j1-" + NOW.toEpochMilli());
        JsonNode message = JsonMapper.builder().build().readTree(request.text());
        assertThat(message.path("type").asString()).isEqualTo("job.ended");
        assertThat(message.at("/data/state").asString()).isEqualTo("done-with-failures");
        assertThat(message.at("/data/to/bucket").asString()).isEqualTo("sets");
        assertThat(message.at("/data/ended").asString()).isEqualTo(NOW.toString());
        assertThat(request.text()).doesNotContain("signature", "https:", "null");
    }

    @ParameterizedTest
    @ValueSource(ints = {503, 429, 408})
    void messageThatIsNotTakenComesAgain(int status) {
        server.respond(request -> PlannedResponse.of(server.requests().size() < 3 ? status : 200));

        webhooks.ended(job(JobState.DONE));
        awaitOutcome("ops sent");

        // One whose response comes too late is sent again.
        assertThat(server.requests())
                .hasSizeGreaterThan(2)
                .extracting(request -> request.header("webhook-id").orElse(""))
                .containsOnly("j1-" + NOW.toEpochMilli());
        assertThat(server.requests())
                .extracting(request -> request.header("webhook-timestamp").orElse(""))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 307, 400, 410})
    void refusalAndRedirectEndAMessage(int status) {
        server.respond(request -> PlannedResponse.of(status, "Location", server.uri() + "elsewhere"));

        webhooks.ended(job(JobState.DONE));
        awaitOutcome("ops failed");

        assertThat(server.requests()).extracting(RecordedRequest::toString).containsOnly("POST /hook?to=me");
    }

    @Test
    void messagesBeyondTheBoundAreDropped() {
        CountDownLatch answered = new CountDownLatch(1);
        server.respond(request -> {
            await(answered);
            return PlannedResponse.of(204);
        });
        try {
            for (int i = 0; i < 1000; i++) {
                webhooks.ended(job(JobState.DONE));
            }
            assertThat(outcomes).isEmpty();

            webhooks.ended(job(JobState.DONE));

            assertThat(outcomes).containsExactly("ops dropped");
        } finally {
            answered.countDown();
        }
    }

    @Test
    void receiverThatDoesNotAnswerTakesNoRoomFromAnother() {
        CountDownLatch answered = new CountDownLatch(1);
        server.respond(request -> {
            await(answered);
            return PlannedResponse.of(204);
        });
        try (RecordingServer other = new RecordingServer(request -> PlannedResponse.of(204))) {
            Webhooks both = new Webhooks(
                    Map.of("ops", settings(server, KEY_TEXT), "pipeline", settings(other, KEY_TEXT)),
                    (name, outcome) -> outcomes.add(name + " " + outcome),
                    () -> NOW);
            for (int i = 1; i <= 1001; i++) {
                both.ended(job(JobState.DONE));
                // So that no more than these wait for the one that answers.
                if (i % 91 == 0) {
                    awaitCount("pipeline sent", i);
                }
            }

            awaitCount("pipeline sent", 1001);
            assertThat(outcomes).contains("ops dropped").doesNotContain("pipeline dropped", "pipeline failed");
            answered.countDown();
            both.close().block(SOON);
        } finally {
            answered.countDown();
        }
    }

    private void awaitCount(String outcome, int count) {
        Polling.within(SOON)
                .untilAsserted(() ->
                        assertThat(outcomes.stream().filter(outcome::equals)).hasSize(count));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void jobsOfAServiceAreReportedAtTheirEndAndNotBefore(@TempDir Path folder) throws Exception {
        BucketName bucket = new BucketName("data");
        InMemoryBackend objects = new InMemoryBackend(Set.of(Capability.VERSIONS)).createBucket(bucket);
        try (JobsFixture jobs = new JobsFixture(folder, Map.of(bucket, objects))) {
            jobs.jobs().onEnd(webhooks::ended);
            jobs.submit(
                    JobsFixture.ADMIN,
                    "{'kind': 'prefetch', 'from': {'bucket': 'data', 'keys': ['none']}, 'attempts': 1}");
            awaitOutcome("ops sent");
        }

        assertThat(outcomes).containsExactly("ops sent");
        assertThat(server.requests().get(0).text()).contains("job.ended", "\"owner\":\"admin\"");
    }

    private void awaitOutcome(String outcome) {
        Polling.within(SOON).untilAsserted(() -> assertThat(outcomes).containsExactly(outcome));
    }

    private static WebhookSettings settings(RecordingServer receiver, String key) {
        return new WebhookSettings(
                WebUrl.parse(receiver.uri().resolve("/hook?to=me").toString()),
                Secret.of(key),
                BackendTlsSettings.DEFAULTS);
    }

    private static JobStatus job(JobState state) {
        RawJobRequest.From from = new RawJobRequest.From(
                null,
                null,
                null,
                null,
                null,
                null,
                List.of("https://data.example.org/a?signature=1"),
                null,
                null,
                null,
                null,
                null,
                null);
        RawJobRequest request = new RawJobRequest(
                "download",
                from,
                new RawJobRequest.To("sets", "raw/"),
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
        return new JobStatus(
                "j1",
                "trainer",
                request,
                state,
                "",
                new ProgressReport(JobProgress.NONE, Optional.empty(), Optional.empty()),
                NOW,
                Optional.of(NOW),
                Optional.of(NOW),
                0,
                List.of());
    }
}
