package io.millrace.backend.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.server.ScriptedServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Tests requests over connections that a server resets, stalls or misuses. */
class ConnectionFaultsTest extends ScriptedServerTest {
    private static final Duration SHORT = Duration.ofMillis(300);

    /** Longer than a server, or the test, takes for a step on a busy machine. */
    private static final Duration STEP = Duration.ofSeconds(4);

    @Test
    void failingHeadIsTriedThreeTimes() throws IOException {
        Backend backend = backend((request, wire) -> {
            if (request.number() < 2) {
                wire.head("503 Slow Down", "Content-Length: 0");
            } else {
                wire.object(new byte[] {1, 2, 3}, "e");
            }
        });

        assertThat(read(backend, KEY)).containsExactly(1, 2, 3);
        assertThat(origin().requests()).hasSize(3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"503 Service Unavailable", "429 Too Many Requests"})
    void throttlingServerIsNeverQueried(String status) throws IOException {
        Backend backend = backend((request, wire) -> wire.head(status, "Content-Length: 0"));

        assertKind(openFailure(backend, KEY), FailureKind.THROTTLED);
        assertThat(origin().requests()).hasSize(3);
    }

    @Test
    void retriesConnectionClosedBeforeTheHeaders() throws IOException {
        Backend backend = backend((request, wire) -> wire.close());

        assertKind(openFailure(backend, KEY), FailureKind.UNAVAILABLE);
        assertThat(origin().requests()).hasSize(3);
    }

    @Test
    void silentServerIsAbandonedAndNotQueriedAgain() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        // So long that the request is there by then, and that the deadline, half as long again, comes certainly later.
        Backend backend = backend((request, wire) -> never.await(), 64, STEP, PATIENCE);

        BackendException failure = openFailure(backend, KEY);

        assertKind(failure, FailureKind.UNAVAILABLE);
        assertThat(failure)
                .hasMessageContaining("raw")
                .hasMessageContaining(origin().uri().toString());
        assertThat(origin().requests()).hasSize(1);
        never.countDown();
    }

    @Test
    void serverThatStopsInTheMiddleIsGivenUp() throws IOException {
        Backend backend = backend(
                (request, wire) -> {
                    wire.head("200 OK", "Content-Length: 1000", "ETag: \"e\"");
                    wire.bytes(new byte[999]);
                },
                1,
                PATIENCE,
                SHORT);

        assertKind(bodyFailure(open(backend, KEY)), FailureKind.UNAVAILABLE);
        assertKind(bodyFailure(open(backend, KEY)), FailureKind.UNAVAILABLE);
    }

    @Test
    void slowReaderIsNotTakenForASlowServer() throws IOException, InterruptedException {
        byte[] bytes = GeneratedBytes.of("slow").first(4 << 20);
        Backend backend = backend((request, wire) -> wire.object(bytes, "e"), 64, PATIENCE, STEP);
        ManualDemandSubscriber reader = new ManualDemandSubscriber();
        open(backend, KEY).body().subscribe(reader);

        reader.request(1);
        reader.awaitBytes(1);
        // Longer than a server may be silent.
        Polling.holdsFor(STEP.plusSeconds(1), () -> !reader.hasEnded());
        reader.request(Long.MAX_VALUE);

        assertThat(reader.awaitEnd()).isEqualTo(bytes);
    }

    @Test
    void abandonedBodyTimesOut() throws IOException {
        Backend backend = backend((request, wire) -> wire.object(new byte[1 << 20], "e"), 1, PATIENCE, SHORT);

        ObjectContent forgotten = open(backend, KEY);

        awaitRead(backend, KEY, 1 << 20);
        assertKind(bodyFailure(forgotten), FailureKind.UNAVAILABLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"})
    void redirectIsNotFollowed(String status) throws IOException {
        try (ScriptedServer elsewhere = ScriptedServer.start((request, wire) -> wire.object(new byte[1], "e"))) {
            Backend backend = backend((request, wire) -> wire.head(
                    status,
                    "Location: " + elsewhere.uri() + "/bucket/key",
                    "x-amz-bucket-region: eu-west-9",
                    "Content-Length: 0"));

            BackendException failure = openFailure(backend, KEY);
            failure(backend.head(KEY));

            assertKind(failure, FailureKind.INVALID_RESPONSE);
            assertThat(failure).hasMessageContaining("eu-west-9");
            assertThat(elsewhere.connections()).isZero();
        }
    }

    /** As a web server redirects to its port for TLS: scheme and host are what an operator has to write. */
    @ParameterizedTest
    @ValueSource(strings = {"301 Moved Permanently", "302 Found", "308 Permanent Redirect"})
    void redirectWithAPageNamesWhereItLeads(String status) throws IOException {
        Backend backend = backend((request, wire) -> wire.head(
                status,
                "Location: https://me:secret@store.example/b?k=v",
                "Content-Type: text/html",
                "Content-Length: 0"));

        for (BackendException failure : List.of(openFailure(backend, KEY), failure(backend.headBucket(BUCKET)))) {
            assertKind(failure, FailureKind.INVALID_RESPONSE);
            assertThat(failure)
                    .hasMessageContaining("it redirects to https://store.example, which is not followed")
                    .hasMessageNotContaining("web page");
        }
    }

    @ParameterizedTest
    @CsvSource({"408 Request Timeout, waited too long", "502 Bad Gateway, 502", "504 Gateway Timeout, 504"})
    void pageOfWhatIsTemporaryIsNoWrongEndpoint(String status, String words) throws IOException {
        Backend backend = backend((request, wire) -> wire.head(status, "Content-Type: text/html", "Content-Length: 0"));

        BackendException failure = openFailure(backend, KEY);

        assertKind(failure, FailureKind.UNAVAILABLE);
        assertThat(failure)
                .hasMessageContaining(words)
                .hasMessageNotContaining("web page")
                .hasMessageNotContaining("endpoint");
    }

    @Test
    void serverThatIsNotThereIsUnavailable() throws IOException {
        Backend backend = backendOfRefusingServer();

        BackendException failure = openFailure(backend, KEY);

        assertKind(failure, FailureKind.UNAVAILABLE);
        assertThat(failure)
                .hasMessageContaining("backend 'raw'")
                .hasMessageContaining(
                        refusingServer().settings().endpoint().orElseThrow().toString())
                .hasMessageContaining("GET bucket/key")
                .hasMessageContaining("refused");
    }

    /** There was a client whose first request, one in ten, waited for a connection that had been refused already. */
    @Test
    void reportsRefusedFirstRequestsAtOnce() throws IOException {
        S3BackendSettings settings = refusingServer().settings();
        List<Backend> fresh = Stream.generate(() -> new S3BackendProvider().create("fresh", settings))
                .limit(50)
                .toList();

        List<BackendException> failures = await(Flux.fromIterable(fresh)
                .flatMap(
                        backend -> backend.open(KEY)
                                .then(Mono.<BackendException>empty())
                                .onErrorResume(BackendException.class, Mono::just),
                        50)
                .collectList());

        assertThat(failures).hasSize(50).allSatisfy(failure -> {
            assertKind(failure, FailureKind.UNAVAILABLE);
            assertThat(failure).hasMessageContaining("refused");
        });
        Flux.fromIterable(fresh).flatMap(Backend::close).blockLast(PATIENCE);
    }

    @Test
    void serverThatDoesNotSpeakTlsIsUnavailable() throws IOException {
        try (ServerSocket plain = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
            Thread server = new Thread(() -> answerNoTls(plain), "no-tls");
            server.start();
            URI secure = URI.create("https://127.0.0.1:" + plain.getLocalPort());
            Backend backend = new S3BackendProvider()
                    .create("plain", TestS3Server.at(secure).settings());

            BackendException failure = openFailure(backend, KEY);

            assertKind(failure, FailureKind.UNAVAILABLE);
            assertThat(failure).hasMessageContaining("does not speak TLS");
            backend.close().block(PATIENCE);
        }
    }

    private static void answerNoTls(ServerSocket plain) {
        while (!plain.isClosed()) {
            try (Socket socket = plain.accept()) {
                socket.getOutputStream().write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                socket.getInputStream().read();
            } catch (IOException e) {
                // The test is over, or the client has gone.
            }
        }
    }

    @Test
    void readsUnderWayFailWhenTheBackendIsClosed() throws IOException, InterruptedException {
        Backend backend = backend((request, wire) -> wire.object(new byte[64 << 20], "e"));
        ManualDemandSubscriber reader = new ManualDemandSubscriber();
        open(backend, KEY).body().subscribe(reader);
        reader.request(1);
        reader.awaitBytes(1);

        backend.close().block(PATIENCE);

        assertThat(reader.awaitFailure()).isInstanceOf(BackendException.class);
        awaitNoConnection();
        reader.request(1);
        assertKind(openFailure(backend, KEY), FailureKind.UNAVAILABLE);
    }

    private void awaitNoConnection() throws InterruptedException {
        Awaitility.await()
                .pollInterval(Duration.ofMillis(50))
                .atMost(PATIENCE)
                .until(() -> origin().openConnections() == 0);
        assertThat(origin().openConnections()).isZero();
    }
}
