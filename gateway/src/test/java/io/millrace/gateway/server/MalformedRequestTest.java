package io.millrace.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.backend.testkit.InMemoryBackend;
import io.millrace.gateway.RawClient;
import io.millrace.gateway.TestGateway;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever sends nonsense gets a 4xx that says so, and nobody else notices: a 500 would be a way to do harm. */
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
                "GET /public/x HTTP/1.1\r\nHost: a\r\nbad header: 1\r\n\r\n",
                "NONSENSE\r\n\r\n",
            })
    void nonsenseIsABadRequest(String head) throws IOException {
        RawClient.Answer answer = RawClient.ask(gateway.port(), head);

        assertThat(answer.status()).isEqualTo(400);
    }

    @Test
    void aKeyOfMoreThan1024BytesIsTooLong() throws IOException {
        RawClient.Answer longest = get("/public/" + "k".repeat(1024));
        RawClient.Answer tooLong = get("/public/" + "k".repeat(1025));

        assertThat(longest.element("Code")).isEqualTo("NoSuchKey");
        assertThat(tooLong.status()).isEqualTo(400);
        assertThat(tooLong.element("Code")).isEqualTo("KeyTooLongError");
    }

    @Test
    void anEndlessRequestLineIsRefusedAndTheConnectionClosed() throws IOException {
        try (RawClient client = new RawClient(gateway.port())) {
            RawClient.Answer answer = client.send("GET /" + "a".repeat(20_000) + " HTTP/1.1\r\nHost: a\r\n\r\n");

            assertThat(answer.status()).isEqualTo(414);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aPlusInAPathIsAPlusAndInAQueryASpace() throws IOException {
        assertThat(get("/public/a%20b").text()).isEqualTo("with a space");
        assertThat(get("/public/a+b").element("Code")).isEqualTo("NoSuchKey");
        assertThat(get("/public?prefix=a+b").text()).contains("<Key>a b</Key>");
    }

    @Test
    void anAnnouncedBodyIsNotReadAndEndsTheConnection() throws IOException {
        try (RawClient client = new RawClient(gateway.port())) {
            RawClient.Answer answer =
                    client.send("PUT /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 5368709120\r\n\r\n");

            assertThat(answer.status()).isEqualTo(403);
            assertThat(answer.headers()).containsEntry("connection", "close");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void bytesBehindARefusedBodyAreNoRequest() throws IOException {
        try (RawClient client = new RawClient(gateway.port())) {
            client.send("PUT /public/x HTTP/1.1\r\nHost: a\r\nContent-Length: 43\r\n\r\n"
                    + "GET /public/x HTTP/1.1\r\nHost: a\r\n\r\n");

            assertThat(client.isClosedByServer()).isTrue();
        }
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

    private static RawClient.Answer get(String target) throws IOException {
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
