package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.resilience.ResilienceSettings;
import io.millrace.backend.resilience.ResilientBackend;
import io.millrace.backend.s3.S3BackendProvider;
import io.millrace.backend.s3.S3BackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.server.ScriptedServer;
import io.millrace.backend.testkit.server.ScriptedServer.ReceivedRequest;
import io.millrace.backend.testkit.server.ScriptedServer.ServerConnection;
import io.millrace.config.Secret;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One client asks an S3 server for nothing but keys that it answers with 500, as fast as it can: others do not notice.
 */
@ExtendWith(BufferLeakExtension.class)
class FloodOfBadKeysTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final byte[] GOOD = "good".getBytes(StandardCharsets.US_ASCII);

    private final ExecutorService strangers = Executors.newFixedThreadPool(4);
    private final AtomicInteger number = new AtomicInteger();

    @SuppressWarnings("NullAway.Init") // start sets it
    private ScriptedServer server;

    @SuppressWarnings("NullAway.Init") // start sets it
    private ResilientBackend backend;

    @SuppressWarnings("NullAway.Init") // start sets it
    private TestGateway gateway;

    @BeforeEach
    void start() throws IOException {
        server = ScriptedServer.start(FloodOfBadKeysTest::respond);
        backend = new ResilientBackend("s3", s3(), ResilienceSettings.DEFAULTS);
        gateway = TestGateway.builder().bucket("data", backend, "", "read").start();
    }

    @AfterEach
    void stop() throws IOException {
        strangers.shutdownNow();
        gateway.close();
        backend.close().block();
        server.close();
    }

    @Test
    void othersAreServedWhileBadKeysFlood() throws IOException {
        for (int i = 0; i < 4; i++) {
            strangers.execute(this::flood);
        }
        Polling.until("the gateway has asked for itself, twice", () -> probes() >= 2);

        for (int i = 0; i < 20; i++) {
            assertThat(SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY)
                            .get("/data/good-" + i)
                            .text())
                    .isEqualTo("good");
        }
        assertThat(backend.stats().refusals()).isZero();
    }

    private void flood() {
        try (RawClient client = gateway.connect()) {
            while (!Thread.currentThread().isInterrupted()) {
                client.send("GET /data/bad-" + number.incrementAndGet() + " HTTP/1.1\r\nhost: gateway.test\r\n\r\n");
            }
        } catch (IOException e) {
            // The gateway is stopping.
        }
    }

    private long probes() {
        return server.requests().stream()
                .filter(request ->
                        request.method().equals("HEAD") && request.target().matches("/data/?"))
                .count();
    }

    private static void respond(ReceivedRequest request, ServerConnection wire) throws IOException {
        if (request.target().contains("bad-")) {
            wire.head("500 Internal Server Error", "Content-Length: 0");
        } else if (request.method().equals("HEAD")) {
            wire.head("200 OK", "Content-Length: 0", "x-amz-request-id: R");
        } else {
            wire.object(GOOD, "e");
        }
    }

    private S3BackendSettings settings() {
        return new S3BackendSettings(
                Optional.of(server.uri()),
                "us-east-1",
                Optional.of(true),
                Optional.of("key"),
                Optional.of(Secret.of("secret")),
                Optional.empty(),
                false,
                new ConnectionSettings(64, BackendTlsSettings.DEFAULTS, Optional.empty(), SOON, SOON, SOON),
                Optional.empty(),
                false);
    }

    private Backend s3() {
        return new S3BackendProvider().create("s3", settings());
    }
}
