package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Verifies that malformed requests get a 4xx and affect no other client; a 500 would allow attacks. */
class MalformedRequestTest {
    private static final BucketName PUBLIC = new BucketName("public");
    private static final InMemoryBackend backend = new InMemoryBackend();

    @SuppressWarnings("NullAway.Init")
    private static TestGateway gateway;

    @BeforeAll
    static void start() {
        backend.createBucket(PUBLIC);
        store("a b", "with a space");
        store("x", "short");
        gateway = TestGateway.builder()
                .bucket("public", backend, "", "read,list")
                .bucket("*", backend)
                .start();
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET http://public/x HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET public/x HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET * HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /public/%zz HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /public/%4 HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /public/% HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /public/%ff HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /public/%c0%af HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /public/%ed%a0%80 HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /public/\u00ff HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /public?prefix=%ff HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /public?max-keys=-1 HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /public?max-keys=x HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /public?encoding-type=base64 HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET //x HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /.. HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /public/x HTTP/1.1\r\n\r\n",
                "GET /public/x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET /public/x HTTP/1.1\r\nHost: a b\r\n\r\n",
                "GET /public/x HTTP/1.1\r\nHost: a/b\r\n\r\n",
                "GET /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "GET /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
                "GET /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n",
                "GET /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n",
                "GET /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n",
                "GET /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: \r\n\r\n",
                "GET /public/x HTTP/1.1\r\nHost: a\r\nbad header: 1\r\n\r\n",
                "GET /public/x HTTP/1.1\r\nHost: a\r\n b\r\n\r\n",
                "GET /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\t2\r\n\r\n",
                "GET /public/x HTTP/1.1\r\n Host: a\r\nHost: a\r\n\r\n",
                "NONSENSE\r\n\r\n",
            })
    void nonsenseIsABadRequest(String head) throws IOException {
        RawClient.Response response = RawClient.ask(gateway.port(), head);

        assertThat(response.status()).isEqualTo(400);
        assertIsAnError(response);
    }

    /** Netty replaces the end of the line before by a space, as RFC 9112 (5.2) allows. */
    @Test
    void continuedLineIsNoHeaderOfItsOwn() throws IOException {
        try (RawClient client = new RawClient(gateway.port())) {
            String folded = "GET /public/x HTTP/1.1\r\nHost: a\r\nx-other: 1\r\n content-length: 5\r\n\r\n";

            assertThat(client.send(folded).text()).isEqualTo("short");
            assertThat(client.send(folded).text()).as("the next one").isEqualTo("short");
        }
    }

    static Stream<Arguments> noHttp() {
        return Stream.of(
                Arguments.of("NONSENSE\r\n\r\n", 400, "InvalidRequest"),
                Arguments.of("GET /public/x\r\nHost: a\r\n\r\n", 400, "InvalidRequest"),
                Arguments.of("GET /public/x HTTP/x\r\nHost: a\r\n\r\n", 400, "InvalidRequest"),
                Arguments.of("GET /public/x HTTP/1.2\r\nHost: a\r\n\r\n", 505, "InvalidRequest"),
                Arguments.of("GET /public/x HTTP/0.9\r\nHost: a\r\n\r\n", 505, "InvalidRequest"),
                Arguments.of("GET /public/x FOO/1.1\r\nHost: a\r\n\r\n", 400, "InvalidRequest"),
                Arguments.of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, "InvalidRequest"),
                Arguments.of("GET /public/x HTTP/1.1\r\nHost: a:b\r\n\r\n", 400, "InvalidRequest"),
                Arguments.of("GET /public/x HTTP/1.1\r\nHost: a:\r\n\r\n", 400, "InvalidRequest"),
                Arguments.of("GET /public/x HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n", 400, "InvalidRequest"),
                Arguments.of(
                        "GET /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                        400,
                        "InvalidRequest"),
                Arguments.of("GET /" + "a".repeat(20_000) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414, "InvalidURI"),
                Arguments.of(
                        "GET /public/x HTTP/1.1\r\nHost: a\r\nx: " + "a".repeat(20_000) + "\r\n\r\n",
                        431,
                        "RequestHeaderSectionTooLarge"));
    }

    /**
     * A request that Netty rejects gets a response, meters and a log line as every other, and is the last on its
     * connection.
     */
    @ParameterizedTest
    @MethodSource("noHttp")
    void malformedRequestGetsAnErrorAndIsRecorded(String head, int status, String code) throws Exception {
        try (RawClient client = new RawClient(gateway.port())) {
            RawClient.Response response = client.send(head + "GET /public/x HTTP/1.1\r\nHost: a\r\n\r\n");

            assertThat(response.status()).isEqualTo(status);
            assertThat(response.version()).isEqualTo("HTTP/1.1");
            assertThat(response.element("Code")).isEqualTo(code);
            assertThat(response.headers()).containsEntry("connection", "close");
            assertIsAnError(response);
            assertThat(client.isClosedByServer()).isTrue();
            List<RequestRecord> records = recordsOf(response);
            assertThat(records).hasSize(1);
            assertThat(records.get(0).status()).isEqualTo(status);
            assertThat(records.get(0).operation()).isEmpty();
        }
    }

    @Test
    void malformedRequestGetsItsErrorInOrder() throws IOException {
        try (RawClient client = new RawClient(gateway.port())) {
            String get = "GET /public/x HTTP/1.1\r\nHost: a\r\n\r\n";

            assertThat(client.send(get + get + "NONSENSE\r\n\r\n").text()).isEqualTo("short");
            assertThat(client.send("").text()).isEqualTo("short");
            assertThat(client.send("").element("Code")).isEqualTo("InvalidRequest");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void malformedChunkClosesAfterTheResponse() throws IOException {
        try (RawClient client = new RawClient(gateway.port())) {
            RawClient.Response response =
                    client.send("PUT /public/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n");

            assertThat(response.element("Code")).isEqualTo("AccessDenied");
            assertIsAnError(response);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.0", "HTTP/1.1"})
    void theVersionsThereAreAreServed(String version) throws IOException {
        RawClient.Response response = RawClient.ask(gateway.port(), "GET /public/x " + version + "\r\nHost: a\r\n\r\n");

        assertThat(response.text()).isEqualTo("short");
        assertThat(response.version()).isEqualTo("HTTP/1.1");
    }

    @Test
    void aKeyOfMoreThan1024BytesIsTooLong() throws IOException {
        RawClient.Response longest = get("/public/" + "k".repeat(1024));
        RawClient.Response tooLong = get("/public/" + "k".repeat(1025));

        assertThat(longest.element("Code")).isEqualTo("NoSuchKey");
        assertThat(tooLong.status()).isEqualTo(400);
        assertThat(tooLong.element("Code")).isEqualTo("KeyTooLongError");
    }

    @Test
    void plusIsASpaceOnlyInQueries() throws IOException {
        assertThat(get("/public/a%20b").text()).isEqualTo("with a space");
        assertThat(get("/public/a+b").element("Code")).isEqualTo("NoSuchKey");
        assertThat(get("/public?prefix=a+b").text()).contains("<Key>a b</Key>");
    }

    @Test
    void aConnectionServesManyRequests() throws IOException {
        try (RawClient client = new RawClient(gateway.port())) {
            for (int i = 0; i < 100; i++) {
                assertThat(client.send(request("/public/x")).text()).isEqualTo("short");
                assertThat(client.send(request("/public/none")).status()).isEqualTo(404);
            }
        }
    }

    private static void assertIsAnError(RawClient.Response response) {
        assertThat(response.headers()).containsEntry("content-type", "application/xml");
        assertThat(response.element("Message")).isNotEmpty();
        assertThat(response.element("RequestId"))
                .isNotEmpty()
                .isEqualTo(response.headers().get("x-amz-request-id"));
    }

    /** A request is recorded after its last byte was written, so the client may see that byte first. */
    private static List<RequestRecord> recordsOf(RawClient.Response response) {
        String id = response.headers().get("x-amz-request-id");
        Polling.until(
                "it is recorded",
                () -> gateway.requests().stream()
                        .anyMatch(request -> request.requestId().equals(id)));
        return gateway.requests().stream()
                .filter(request -> request.requestId().equals(id))
                .toList();
    }

    private static RawClient.Response get(String target) throws IOException {
        return RawClient.ask(gateway.port(), request(target));
    }

    private static String request(String target) {
        return "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
    }

    private static void store(String key, String content) {
        backend.store(
                new ObjectRef(PUBLIC, new ObjectKey(key)), content.getBytes(StandardCharsets.UTF_8), HeaderList.EMPTY);
    }
}
