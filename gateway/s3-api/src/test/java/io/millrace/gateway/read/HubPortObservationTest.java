package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.server.ScriptedHub;
import io.millrace.config.DataSize;
import io.millrace.gateway.audit.AuditLog;
import io.millrace.gateway.audit.AuditSettings;
import io.millrace.gateway.audit.LogRotationSettings;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.monitor.RecentRequest;
import io.millrace.gateway.objects.monitor.RecentRequestSource.FailedRequest;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.s3.observe.AccessLog;
import io.millrace.gateway.s3.observe.AccessLogSettings;
import io.millrace.gateway.s3.observe.AccessRecorder;
import io.millrace.gateway.s3.observe.AuditRecorder;
import io.millrace.gateway.s3.observe.RecentRequests;
import io.millrace.gateway.s3.observe.RequestMeters;
import io.millrace.gateway.s3.observe.RequestsInFlight;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Requests at the Hub port are in the meters, the access log and the lists of recent requests, however they end. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class HubPortObservationTest {
    private static final String COMMIT = ScriptedHub.commit(1);
    private static final byte[] LARGE = GeneratedBytes.of("large").first(3 << 20);
    private static final String MODEL = "/org/name/resolve/main/sub/model.bin";
    private static final BucketName TINY = new BucketName("tiny");
    private static final InstantSource CLOCK = () -> Instant.parse("2026-08-04T12:00:00Z");

    @TempDir
    private Path folder;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RequestsInFlight requests = new RequestsInFlight();
    private final RequestMeters meters = new RequestMeters(registry);
    private final RecentRequests recent = new RecentRequests(CLOCK);

    private ScriptedHub hub;
    private AccessLog accessLog;
    private AuditLog auditLog;
    private HubPortFixture port;

    @BeforeEach
    void start() throws IOException {
        hub = new ScriptedHub();
        hub.repository("models/org/name").large(COMMIT, "sub/model.bin", LARGE).branch("main", COMMIT);
        LogRotationSettings never = new LogRotationSettings(DataSize.parse("1GiB"), 0);
        accessLog = AccessLog.open(
                new AccessLogSettings(Optional.of(folder.resolve("access.log")), AccessLogSettings.Format.TEXT, never),
                CLOCK,
                registry);
        auditLog = AuditLog.open(
                new AuditSettings(
                        Optional.of(folder.resolve("audit.log")), true, never, AuditSettings.OnFailure.REFUSE),
                CLOCK,
                registry);
        port = open(shown("tiny", HubPortFixture.BACKEND, "org/name/main/"));
    }

    @AfterEach
    void stop() throws InterruptedException {
        port.close();
        accessLog.close();
        auditLog.close();
        hub.close();
    }

    @Test
    void readIsCountedLoggedAndListed() throws Exception {
        assertThat(port.ask("GET", MODEL, "Range: bytes=0-9", "User-Agent: hf/1")
                        .status())
                .isEqualTo(206);

        ended("HubGetFile", "ok");
        assertThat(registry.get("millrace.cache.requests")
                        .tag("result", "miss")
                        .counter()
                        .count())
                .isEqualTo(1);
        assertThat(registry.get("millrace.s3.sent.bytes")
                        .tag("operation", "HubGetFile")
                        .counter()
                        .count())
                .isEqualTo(10);
        assertThat(recent.last(TINY, new ObjectKey("sub/model.bin")))
                .singleElement()
                .satisfies(request -> {
                    assertThat(request.operation()).isEqualTo("HubGetFile");
                    assertThat(request.cache()).contains("miss");
                    assertThat(request.bytes()).isEqualTo(10);
                });
        assertThat(recent.lastFailed()).isEmpty();
        assertThat(logged())
                .contains(" 127.0.0.1 http - HubGetFile GET " + MODEL + " 206 ok - miss hub tiny bytes=0-9 0 10 ")
                .contains("\"hf/1\"");
    }

    @Test
    void failureIsCountedLoggedAndListedByTheWordOfTheHub() throws Exception {
        assertThat(port.ask("HEAD", "/org/name/resolve/main/none").status()).isEqualTo(404);

        ended("HubHeadFile", "client_error");
        assertThat(errors("HubHeadFile", 404, "EntryNotFound")).isEqualTo(1);
        FailedRequest failed = recent.lastFailed().get(0);
        assertThat(failed.request().operation()).isEqualTo("HubHeadFile");
        assertThat(failed.code()).isEqualTo("EntryNotFound");
        assertThat(failed.bucket()).contains("tiny");
        assertThat(failed.key()).contains("none");
        assertThat(logged()).contains(" HubHeadFile HEAD /org/name/resolve/main/none 404 client_error EntryNotFound ");
    }

    @Test
    void outageOfTheHubIsAFailureOfTheService() throws Exception {
        hub.failWith(500);

        assertThat(port.ask("GET", "/api/models/org/name/revision/main").status())
                .isEqualTo(503);

        ended("HubGetRevision", "server_error");
        assertThat(recent.lastFailed())
                .extracting(failed -> failed.request().outcome())
                .containsExactly("server_error");
        assertThat(recent.lastFailed().get(0).reason()).contains("backend '", "models", "500");
    }

    @Test
    void requestWhoseClientLeavesIsCountedLoggedAndListed() throws Exception {
        Runnable release = hub.holdAll();
        try (RawClient client = new RawClient(port.port())) {
            send(client, "GET " + MODEL + " HTTP/1.1\r\nHost: hub\r\n\r\n");
            Polling.until("the Hub is asked", () -> !hub.atHub().isEmpty());
            assertThat(meters.inFlight()).isEqualTo(1);
        }

        ended("HubGetFile", "client_left");
        release.run();
        assertThat(recent.last(TINY, new ObjectKey("sub/model.bin")))
                .extracting(RecentRequest::outcome)
                .containsExactly("client_left");
        assertThat(logged()).contains(" HubGetFile GET " + MODEL + " 0 client_left ");
    }

    @Test
    void clientThatLeavesInItsBodyIsNoFailureOfOurs() throws Exception {
        try (RawClient client = new RawClient(port.port())) {
            String target = "/api/models/org/name/paths-info/main";
            send(client, HubPortFixture.headOfPost(target, "application/json", 100) + "{\"paths\":");
            Polling.until("the request is served", () -> meters.inFlight() == 1);
        }

        ended("HubGetPaths", "client_left");
        assertThat(recent.lastFailed()).noneMatch(failed -> failed.request().status() >= 500);
    }

    @Test
    void otherRequestsHaveNoOperation() throws Exception {
        assertThat(port.ask("GET", "/api/whoami-v2?token=secret").status()).isEqualTo(404);
        assertThat(port.ask("PUT", MODEL).status()).isEqualTo(405);
        assertThat(port.ask("GET", "/%zz").status()).isEqualTo(400);

        Polling.until("all have ended", () -> meters.ended() == 3 && requests.isEmpty());
        assertThat(errors("none", 404, "NotFound")).isEqualTo(1);
        assertThat(errors("none", 405, "MethodNotAllowed")).isEqualTo(1);
        assertThat(errors("none", 400, "InvalidURI")).isEqualTo(1);
        assertThat(logged())
                .contains(" - GET /api/whoami-v2 404 client_error NotFound ")
                .contains(" - GET - 400 client_error InvalidURI ")
                .doesNotContain("secret");
    }

    /** The Hub decides on them, and they are no acts of an identity. */
    @Test
    void refusalsOfTheHubAreNotInTheAuditLog() throws Exception {
        hub.repository("models/org/gated")
                .small(COMMIT, "config.json", new byte[1])
                .branch("main", COMMIT)
                .gatedFor("client");

        assertThat(port.ask("GET", "/org/gated/resolve/main/config.json").status())
                .isEqualTo(403);

        ended("HubGetFile", "denied");
        assertThat(errors("HubGetFile", 403, "GatedRepo")).isEqualTo(1);
        auditLog.close();
        assertThat(Files.readString(folder.resolve("audit.log"))).isEmpty();
    }

    @Test
    void bucketOfAnotherBackendWithTheNameIsNotMeant() throws Exception {
        port.close();
        port = open(shown("models", HubPortFixture.OTHER_BACKEND, ""));

        assertThat(port.ask("GET", "/org/name/resolve/main/none").status()).isEqualTo(404);

        ended("HubGetFile", "client_error");
        assertThat(recent.lastFailed().get(0).bucket()).isEmpty();
        assertThat(recent.lastFailed().get(0).key()).contains("org/name/main/none");
        assertThat(recent.last(new BucketName("models"), new ObjectKey("org/name/main/none")))
                .isEmpty();
    }

    private HubPortFixture open(BucketSettings shown) throws IOException {
        return new HubPortFixture(
                hub,
                folder,
                CLOCK,
                ObjectSourceFactory.BACKENDS,
                meters.and(recent)
                        .and(new AuditRecorder(auditLog, CLOCK))
                        .and(AccessRecorder.ofBackend(accessLog, HubPortFixture.BACKEND, CLOCK))
                        .and(requests),
                shown);
    }

    private static BucketSettings shown(String name, String backend, String prefix) {
        return BucketViews.settings(name, backend, Optional.of(new BucketName("models")), prefix);
    }

    /** Waits until a request of this operation has ended so, and no other is left. */
    private void ended(String operation, String outcome) {
        Polling.until("a request ended", () -> meters.ended() == 1 && requests.isEmpty() && meters.inFlight() == 0);
        assertThat(registry.get("millrace.s3.request")
                        .tag("operation", operation)
                        .tag("outcome", outcome)
                        .timer()
                        .count())
                .isEqualTo(1);
    }

    private double errors(String operation, int status, String code) {
        return registry.get("millrace.s3.errors")
                .tag("operation", operation)
                .tag("status", "" + status)
                .tag("code", code)
                .counter()
                .count();
    }

    private static void send(RawClient client, String text) throws IOException {
        client.socket().getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Returns what the access log has, which is closed then. */
    private String logged() throws Exception {
        accessLog.close();
        return Files.readString(folder.resolve("access.log"));
    }
}
