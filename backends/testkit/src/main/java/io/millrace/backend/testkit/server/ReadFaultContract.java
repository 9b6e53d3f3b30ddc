package io.millrace.backend.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.ReservedPort;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.data.ManualDemandReader;
import io.millrace.backend.testkit.data.UploadBodies;
import io.millrace.backend.testkit.server.ScriptedServer.ResponseScript;
import io.millrace.backend.testkit.server.ScriptedServer.ServerConnection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/**
 * The contract of reads over HTTP from a server that fails, stalls or is wrong: an error of the right kind in bounded
 * time, and never a byte of another response. The test class of a backend extends it and inherits the tests; nothing
 * retries between them and the server.
 */
@ExtendWith(BufferLeakExtension.class)
public abstract class ReadFaultContract {
    /** Longer than any response takes on a busy machine; a test that reaches it hangs. */
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final ReadRequest KEY = request("key");
    private static final ReadRequest RANGE =
            KEY.withSelection(new ByteSelection.RangeSelection(new RangeSpec.Bounded(2, 5)));
    private static final byte[] TEN = "0123456789".getBytes(StandardCharsets.US_ASCII);

    /** Repeats what failed on the connection, however often a read gets one that is about to be closed. */
    private static final Retry UNTIL_IT_SUCCEEDS = Retry.fixedDelay(1000, Duration.ofMillis(50))
            .filter(failure -> failure instanceof BackendException known && known.kind() == FailureKind.UNAVAILABLE);

    private @Nullable ScriptedServer server;
    private @Nullable Backend backend;

    /**
     * Opens a backend that does not retry, with one server.
     *
     * @param firstByteTimeout its limit for a response to begin
     * @param idleTimeout its limit for a pause in a response
     */
    protected abstract Backend connect(URI server, Duration firstByteTimeout, Duration idleTimeout);

    /**
     * Returns the headers with which the server describes an object, without its length and without checksums.
     *
     * @param version another number for another version
     */
    protected abstract String[] objectHeaders(int version);

    @AfterEach
    void stop() throws IOException {
        if (backend != null) {
            backend.close().block(TIMEOUT);
        }
        if (server != null) {
            server.close();
        }
    }

    @Test
    void connectionClosedBeforeTheResponseIsUnavailable() throws IOException {
        assertOpenFails(connect((request, wire) -> wire.close()), KEY, FailureKind.UNAVAILABLE);
    }

    @Test
    void nonHttpResponseIsUnavailable() throws IOException {
        assertOpenFails(
                connect((request, wire) -> wire.text("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n\r\n")),
                KEY,
                FailureKind.UNAVAILABLE);
    }

    @Test
    void refusedConnectionIsUnavailable() throws IOException {
        try (ReservedPort nobody = new ReservedPort()) {
            backend = connect(nobody.uri(), TIMEOUT, TIMEOUT);

            assertThat(assertOpenFails(backend, KEY, FailureKind.UNAVAILABLE))
                    .hasMessageContaining("no connection: connection refused")
                    .hasMessageContaining(String.valueOf(nobody.number()));
        }
    }

    @Test
    void unknownHostIsUnavailable() {
        backend = connect(URI.create("http://no-such-host.invalid:9000"), TIMEOUT, TIMEOUT);

        assertThat(assertOpenFails(backend, KEY, FailureKind.UNAVAILABLE))
                .hasMessageContaining("no-such-host.invalid")
                .hasMessageContaining("unknown host");
    }

    @Test
    void silentServerIsUnavailableAfterTheTimeout() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        Backend silent = connect((request, wire) -> never.await(), SHORT, TIMEOUT);

        assertOpenFails(silent, KEY, FailureKind.UNAVAILABLE);

        never.countDown();
    }

    @Test
    void bodyThatStallsIsUnavailableAfterTheTimeout() throws IOException {
        CountDownLatch never = new CountDownLatch(1);
        Backend stalling = connect(
                (request, wire) -> {
                    head(wire, "200 OK", 1, "Content-Length: 1000");
                    wire.bytes(new byte[999]);
                    never.await();
                },
                TIMEOUT,
                SHORT);

        assertBodyFails(open(stalling, KEY), FailureKind.UNAVAILABLE);

        never.countDown();
    }

    @Test
    void truncatedBodyFails() throws IOException {
        Backend truncated = connect((request, wire) -> {
            head(wire, "200 OK", 1, "Content-Length: 1000");
            wire.bytes(new byte[999]);
            wire.close();
        });

        assertBodyFails(open(truncated, KEY), FailureKind.INVALID_RESPONSE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"429 Too Many Requests", "503 Service Unavailable"})
    void throttlingIsReported(String status) throws IOException {
        Backend throttling = connect((request, wire) -> wire.head(status, "Content-Length: 0", "Retry-After: 7"));

        BackendException failure = openFailure(throttling, KEY);

        assertThat(failure.kind()).as(failure.getMessage()).isIn(FailureKind.THROTTLED, FailureKind.UNAVAILABLE);
        assertThat(failure.retryAfter()).contains(Duration.ofSeconds(7));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "408 Request Timeout",
                "500 Internal Server Error",
                "502 Bad Gateway",
                "504 Gateway Timeout",
                "520 Web Server Returned an Unknown Error"
            })
    void failingServerIsUnavailable(String status) throws IOException {
        assertOpenFails(
                connect((request, wire) -> wire.head(status, "Content-Length: 0")), KEY, FailureKind.UNAVAILABLE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"206 Partial Content", "201 Created", "203 Other", "204 No Content", "304 Not Modified"})
    void statusThatNothingRequestedIsRefused(String status) throws IOException {
        boolean isEmpty = status.startsWith("204") || status.startsWith("304");
        Backend wrong = connect((request, wire) -> {
            head(wire, status, 1, "Content-Range: bytes 0-9/10", isEmpty ? "X: y" : "Content-Length: 10");
            wire.bytes(isEmpty ? new byte[0] : TEN);
        });

        assertOpenFails(wrong, KEY, FailureKind.INVALID_RESPONSE);
        assertFails(wrong.head(KEY), FailureKind.INVALID_RESPONSE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bytes 2-6/10",
                "bytes 1-5/10",
                "bytes 2-5/5",
                "bytes 5-2/10",
                "bytes 2-5/*",
                "bytes */10",
                "bytes=2-5/10",
                "bytes -2-5/10",
                "2-5/10",
                "bytes 2-5/99999999999999999999",
                ""
            })
    void anotherContentRangeIsRefused(String contentRange) throws IOException {
        Backend wrong = connect((request, wire) -> {
            head(wire, "206 Partial Content", 1, "Content-Length: 4", "Content-Range: " + contentRange);
            wire.text("2345");
        });

        assertOpenFails(wrong, RANGE, FailureKind.INVALID_RESPONSE);
    }

    @Test
    void lengthThatContradictsTheRangeIsRefused() throws IOException {
        Backend wrong = connect((request, wire) -> {
            head(wire, "206 Partial Content", 1, "Content-Length: 3", "Content-Range: bytes 2-5/10");
            wire.text("234");
        });

        assertOpenFails(wrong, RANGE, FailureKind.INVALID_RESPONSE);
    }

    @Test
    void anotherVersionThanRequiredIsRefused() throws IOException {
        Backend changing = connect((request, wire) -> object(wire, TEN, 1 + request.number()));
        ObjectContent first = open(changing, KEY);
        first.discard();

        assertOpenFails(changing, KEY.requireVersion(first.head().version()), FailureKind.VERSION_CHANGED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"})
    void redirectElsewhereIsNotFollowedAndNamed(String status) throws IOException {
        try (ScriptedServer elsewhere = ScriptedServer.start((request, wire) -> object(wire, TEN, 1))) {
            Backend redirecting = connect((request, wire) ->
                    wire.head(status, "Content-Length: 0", "Location: " + elsewhere.uri() + "/bucket/key"));

            BackendException failure = openFailure(redirecting, KEY);

            assertThat(failure.kind()).isIn(FailureKind.INVALID_RESPONSE, FailureKind.ACCESS_DENIED);
            assertThat(failure).hasMessageContaining(elsewhere.uri().getAuthority());
            assertThat(elsewhere.connections()).isZero();
        }
    }

    @Test
    void endlessErrorIsCutOff() throws IOException {
        String chunk = "10000\r\n" + " ".repeat(0x10000) + "\r\n";
        Backend endless = connect((request, wire) -> {
            wire.head("404 Not Found", "Content-Type: application/xml", "Transfer-Encoding: chunked");
            while (!wire.socket().isClosed()) {
                wire.text(chunk);
            }
        });

        openFailure(endless, KEY);

        awaitNoConnection();
    }

    @Test
    void endlessHeadersAreCutOff() throws IOException {
        Backend endless = connect((request, wire) -> {
            wire.text("HTTP/1.1 200 OK\r\n");
            while (!wire.socket().isClosed()) {
                wire.text("X-Filler: " + "x".repeat(1000) + "\r\n");
            }
        });

        assertThat(openFailure(endless, KEY).kind()).isIn(FailureKind.UNAVAILABLE, FailureKind.INVALID_RESPONSE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"100 Continue", "102 Processing", "103 Early Hints"})
    void interimResponsesAreSkipped(String interim) throws IOException {
        assertOwnResponses(connect((request, wire) -> {
            wire.head(interim);
            wire.head(interim, "Link: </x>");
            object(wire, own(request.target()), 1);
        }));
    }

    @Test
    void interimResponseInItsOwnPacketIsSkipped() throws IOException {
        assertOwnResponses(connect((request, wire) -> {
            wire.head("103 Early Hints");
            wire.endPacket();
            object(wire, own(request.target()), 1);
        }));
    }

    /** Such bytes wait in the decoder and spoil the next response, which fails. */
    @Test
    void bytesAfterAResponseAreDropped() throws IOException {
        Backend backend = connect((request, wire) -> {
            object(wire, own(request.target()), 1);
            wire.text(request.number() % 4 == 0 ? "more bytes" : "");
        });

        for (int i = 0; i < 100; i++) {
            assertOwnResponse(backend, "k" + i)
                    .onErrorResume(BackendException.class, failure -> {
                        assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(FailureKind.UNAVAILABLE);
                        return Mono.empty();
                    })
                    .block(TIMEOUT);
        }
    }

    /**
     * The end of one response and a whole second one in the same packet: nobody may take it for the next response. The
     * connection is closed, perhaps when the next request has it; that one is sent again.
     */
    @Test
    void unsolicitedResponsesAreDropped() throws IOException {
        Backend backend = connect((request, wire) -> {
            byte[] own = own(request.target());
            int most = own.length - 1_000;
            head(wire, "200 OK", 1, "Content-Length: " + own.length);
            wire.bytes(Arrays.copyOf(own, most));
            // One write, or the second response might come when the next request is out, and nobody could tell.
            ByteArrayOutputStream both = new ByteArrayOutputStream();
            both.write(own, most, own.length - most);
            both.writeBytes(("HTTP/1.1 200 OK\r\nContent-Length: 20000\r\n" + String.join("\r\n", objectHeaders(1))
                            + "\r\n\r\n" + "?".repeat(20_000))
                    .getBytes(StandardCharsets.ISO_8859_1));
            wire.bytes(both.toByteArray());
        });

        assertAll(key -> assertOwnResponse(backend, key).retryWhen(UNTIL_IT_SUCCEEDS));
    }

    @Test
    void readerThatLeavesEndsTheTransfer() throws IOException, InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        ManualDemandReader reader = new ManualDemandReader();
        open(connect(endless(ended)), KEY).body().subscribe(reader);
        reader.request(3);
        reader.awaitPieces(1);

        reader.cancel();

        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void closingTheBackendEndsReads() throws IOException, InterruptedException {
        CountDownLatch ended = new CountDownLatch(1);
        Backend closing = connect(endless(ended));
        ManualDemandReader reader = new ManualDemandReader();
        open(closing, KEY).body().subscribe(reader);
        reader.request(1);
        reader.awaitPieces(1);

        closing.close().block(TIMEOUT);

        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        reader.cancel();
    }

    private Backend connect(ResponseScript script) throws IOException {
        return connect(script, TIMEOUT, TIMEOUT);
    }

    private Backend connect(ResponseScript script, Duration firstByteTimeout, Duration idleTimeout) throws IOException {
        server = ScriptedServer.start(script);
        Backend connected = connect(server.uri(), firstByteTimeout, idleTimeout);
        backend = connected;
        return connected;
    }

    private ResponseScript endless(CountDownLatch ended) {
        return (request, wire) -> {
            try {
                head(wire, "200 OK", 1, "Content-Length: 1000000000000");
                while (true) {
                    wire.bytes(new byte[100_000]);
                }
            } finally {
                ended.countDown();
            }
        };
    }

    private void object(ServerConnection wire, byte[] bytes, int version) throws IOException {
        head(wire, "200 OK", version, "Content-Length: " + bytes.length);
        wire.bytes(bytes);
    }

    private void head(ServerConnection wire, String status, int version, String... headers) throws IOException {
        wire.head(
                status,
                Stream.concat(Arrays.stream(headers), Arrays.stream(objectHeaders(version)))
                        .toArray(String[]::new));
    }

    private void awaitNoConnection() {
        ScriptedServer started = Objects.requireNonNull(server);
        Awaitility.await().atMost(TIMEOUT).until(() -> started.openConnections() == 0);
    }

    /** Reads 200 objects over kept connections: each response must be that of its own request. */
    private static void assertOwnResponses(Backend backend) {
        assertAll(key -> assertOwnResponse(backend, key));
    }

    private static void assertAll(Function<String, Mono<Void>> read) {
        for (int round = 0; round < 5; round++) {
            Flux.range(0, 40).flatMap(i -> read.apply("k" + i), 8).then().block(TIMEOUT);
        }
    }

    private static Mono<Void> assertOwnResponse(Backend backend, String key) {
        return backend.open(request(key))
                .flatMap(content -> content.body().reduceWith(ByteArrayOutputStream::new, (bytes, piece) -> {
                    bytes.writeBytes(UploadBodies.takeBytes(piece));
                    return bytes;
                }))
                .doOnNext(bytes -> assertThat(bytes.toByteArray()).isEqualTo(own("/bucket/" + key)))
                .then();
    }

    /** Returns the content of the object at a path, whatever query, host or account belongs to it. */
    private static byte[] own(String target) {
        String path = URI.create(target).getPath();
        return GeneratedBytes.of(path.substring(path.lastIndexOf('/') + 1)).first(50_000);
    }

    private static ReadRequest request(String key) {
        return ReadRequest.of(new ObjectRef(new BucketName("bucket"), new ObjectKey(key)));
    }

    private static ObjectContent open(Backend backend, ReadRequest request) {
        return Objects.requireNonNull(backend.open(request).block(TIMEOUT), "a response");
    }

    private static BackendException openFailure(Backend backend, ReadRequest request) {
        return failure(backend.open(request).doOnNext(ObjectContent::discard));
    }

    private static BackendException failure(Mono<?> response) {
        BackendException failure = catchThrowableOfType(BackendException.class, () -> response.block(TIMEOUT));
        assertThat(failure).as("a failure").isNotNull();
        assertThat(failure.getMessage()).as("words for people").doesNotContain("Exception", "(..)");
        return failure;
    }

    private static BackendException assertFails(Mono<?> response, FailureKind kind) {
        BackendException failure = failure(response);
        assertThat(failure.kind()).as(failure.getMessage()).isEqualTo(kind);
        return failure;
    }

    private static BackendException assertOpenFails(Backend backend, ReadRequest request, FailureKind kind) {
        return assertFails(backend.open(request).doOnNext(ObjectContent::discard), kind);
    }

    private static void assertBodyFails(ObjectContent content, FailureKind kind) {
        assertFails(content.body().doOnNext(UploadBodies::takeBytes).then(), kind);
    }
}
