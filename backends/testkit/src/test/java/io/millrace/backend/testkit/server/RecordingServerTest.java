package io.millrace.backend.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what the server records, and the bytes that it sends. */
class RecordingServerTest {
    private final RecordingServer server = new RecordingServer();

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void recordsBodiesOfAStatedLengthAndInChunks() throws IOException {
        server.respond(request -> PlannedResponse.text(200, request.text()));

        String sent = exchange("""
                PUT /a%20b?x=1%2B1&y=2 HTTP/1.1
                Content-Length: 3
                X-Twice: 1
                x-twice: 2

                abcPOST /b HTTP/1.1
                Transfer-Encoding: chunked
                Expect: 100-continue
                Connection: close

                3;name=value
                def
                1
                g
                0
                Trailer: x

                """);

        assertThat(sent)
                .isEqualTo(lines("HTTP/1.1 200 |Content-Length: 3||abc")
                        + lines("HTTP/1.1 100 Continue||HTTP/1.1 200 |Content-Length: 4||defg"));
        RecordedRequest put = server.requests().get(0);
        assertThat(put.path()).isEqualTo("/a%20b");
        assertThat(RecordedRequest.decoded(put.path())).isEqualTo("/a b");
        assertThat(put.parameter("x")).contains("1+1");
        assertThat(put.parameter("z")).isEmpty();
        assertThat(put.header("X-Twice")).contains("1, 2");
        assertThat(server.requests()).extracting(RecordedRequest::text).containsExactly("abc", "defg");
    }

    @Test
    void closesAfterWhatIsCutShort() throws IOException {
        server.respond(request -> PlannedResponse.text(200, "abcdef").cutTo(2));

        assertThat(exchange("GET / HTTP/1.1\n\n")).isEqualTo(lines("HTTP/1.1 200 |Content-Length: 6||ab"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', textBlock = """
            GET;  200; 3;  HTTP/1.1 200 |Content-Length: 3||abc
            GET;  200; -1; HTTP/1.1 200 |Transfer-Encoding: chunked||3|abc|0||
            HEAD; 200; 3;  HTTP/1.1 200 |Content-Length: 3||
            HEAD; 200; -1; HTTP/1.1 200 ||
            GET;  204; 3;  HTTP/1.1 204 ||
            GET;  304; 3;  HTTP/1.1 304 ||
            """)
    void framesBodies(String method, int status, long announced, String expected) throws IOException {
        server.respond(request -> PlannedResponse.text(status, "abc").announcing(announced));

        assertThat(exchange(method + " / HTTP/1.1\nConnection: close\n\n")).isEqualTo(lines(expected));
    }

    @Test
    void headMayHaveALengthOfItsOwn() throws IOException {
        server.respond(request -> PlannedResponse.of(200, "content-length", "10"));

        assertThat(exchange("HEAD / HTTP/1.1\nConnection: close\n\n"))
                .isEqualTo(lines("HTTP/1.1 200 |content-length: 10||"));
        assertThat(exchange("GET / HTTP/1.1\nConnection: close\n\n"))
                .isEqualTo(lines("HTTP/1.1 200 |Content-Length: 0||"));
    }

    @Test
    void aFieldIsReplacedOrRepeated() {
        PlannedResponse response = PlannedResponse.of(200, "a", "1").plus("A", "2");

        assertThat(response.headers()).hasSize(2);
        assertThat(response.with("a", "3").headers()).hasSize(1);
    }

    /** Sends this, and returns what comes until the server closes the connection. */
    private String exchange(String request) throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort())) {
            socket.getOutputStream().write(request.replace("\n", "\r\n").getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    private static String lines(String text) {
        return text.replace("|", "\r\n");
    }
}
