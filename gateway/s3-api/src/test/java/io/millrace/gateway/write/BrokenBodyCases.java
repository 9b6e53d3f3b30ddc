package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bodies that are cut, too long, or not what they say: nothing is stored, and nothing of them is taken for another
 * request.
 */
interface BrokenBodyCases extends EndpointWriteCases {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 50_000, 999_999})
    default void aBodyThatIsCutStoresNothing(int sent) throws Exception {
        assumeTrue(can(OptionalFeature.DISCARDS_CUT_BODIES), "stores bodies that are cut");
        byte[] before = storedAndRead("cut", "before", 1000);
        for (String key : List.of("cut", "cut-new")) {
            cut(SignedWriteRequest.put(target(key), GeneratedBytes.of("cut").first(1_000_000)), sent);
        }
        Polling.until("all requests have ended", () -> gateway().inFlight() == 0);

        assertHolds("cut", before);
        assertAbsent("cut-new");
    }

    @Test
    default void aStreamThatIsCutStoresNothing() throws Exception {
        assumeTrue(can(OptionalFeature.DISCARDS_CUT_BODIES), "stores bodies that are cut");
        byte[] bytes = GeneratedBytes.of("cut").first(100_000);
        for (int sent : new int[] {50, 40_000, 100_050}) {
            cut(SignedWriteRequest.of("PUT", target("cut-stream")).signedChunks(bytes, 20_000), sent);
            cut(
                    SignedWriteRequest.of("PUT", target("cut-stream"))
                            .unsignedChunks(bytes, 20_000, TestChecksum.CRC32.line(bytes)),
                    sent);
        }
        Polling.until("all requests have ended", () -> gateway().inFlight() == 0);

        assertAbsent("cut-stream");
    }

    /** The socket's other direction stays open, so there is somebody to tell. */
    @Promise("W6")
    @Test
    default void interruptedUploadStoresNothing() throws Exception {
        assumeTrue(can(OptionalFeature.DISCARDS_CUT_BODIES), "stores bodies that are cut");
        SignedWriteRequest ask = SignedWriteRequest.put(
                target("stopped"), GeneratedBytes.of("stopped").first(10_000));
        try (RawClient client = new RawClient(gateway().port())) {
            client.socket()
                    .getOutputStream()
                    .write(bytes(ask.head() + ask.bodyText().substring(0, 5000)));
            client.socket().shutdownOutput();
            client.isClosedByServer();
        }
        Polling.until("all requests have ended", () -> gateway().inFlight() == 0);

        assertAbsent("stopped");
    }

    /** Frames that lie, each with what is wrong about it. */
    @Promise("W6")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "decoded length too small",
                "decoded length too large",
                "no last chunk",
                "no size",
                "size of another chunk",
                "negative size",
                "huge size",
                "bytes behind the end",
                "another trailer",
                "no trailer"
            })
    default void framesThatLieStoreNothingAndPoisonNothing(String lie) throws IOException {
        byte[] bytes = GeneratedBytes.of("lie").first(30_000);
        String sum = TestChecksum.CRC32.line(bytes);
        SignedWriteRequest ask = SignedWriteRequest.of("PUT", target("lie")).unsignedChunks(bytes, 20_000, sum);
        String right = ask.bodyText();
        String body = switch (lie) {
            case "decoded length too small" -> {
                ask.with("x-amz-decoded-content-length: 29999");
                yield right;
            }
            case "decoded length too large" -> {
                ask.with("x-amz-decoded-content-length: 30001");
                yield right;
            }
            case "no last chunk" -> right.substring(0, right.lastIndexOf("0\r\nx-amz"));
            case "no size" -> right.substring(right.indexOf("\r\n"));
            case "size of another chunk" -> "4e21" + right.substring(4);
            case "negative size" -> "-" + right;
            case "huge size" -> "7fffffffffffffff" + right.substring(4);
            case "bytes behind the end" -> right + "more";
            case "another trailer" -> right.replace("x-amz-checksum-crc32:", "x-amz-checksum-sha1:");
            case "no trailer" -> right.replace(sum.replace(": ", ":") + "\r\n", "");
            default -> throw new AssertionError(lie);
        };
        ask.with("Content-Length: " + body.length());

        assertRefusedAndInStep(ask, body, 400);

        assertAbsent("lie");
    }

    /** Its sender may wait for the answer, the rest in hand: where the next request would begin, nobody could tell. */
    @ParameterizedTest
    @ValueSource(strings = {"signature of a chunk", "size of a chunk", "chunk of HTTP"})
    default void invalidBodyGetsAnErrorAndClosesTheConnection(String wrong) throws IOException {
        assumeTrue(can(OptionalFeature.DISCARDS_CUT_BODIES), "stores bodies that are cut");
        byte[] bytes = GeneratedBytes.of("begun").first(100_000);
        SignedWriteRequest ask = SignedWriteRequest.of("PUT", target("begun"));
        String body = switch (wrong) {
            case "signature of a chunk" -> {
                String framed = ask.signedChunks(bytes, 20_000).bodyText();
                char other = (char) (framed.charAt(30_000) ^ 1);
                yield framed.substring(0, 30_000) + other + framed.substring(30_001, 50_000);
            }
            case "size of a chunk" -> {
                String framed = ask.unsignedChunks(bytes, 20_000, TestChecksum.CRC32.line(bytes))
                        .bodyText();
                yield framed.substring(0, framed.indexOf("\r\n", 20_000)) + "\r\nno size\r\n";
            }
            case "chunk of HTTP" -> {
                String framed = ask.unsignedChunks(bytes, 20_000, TestChecksum.CRC32.line(bytes))
                        .with("Transfer-Encoding: chunked")
                        .bodyText();
                yield "7530\r\n" + framed.substring(0, 30_000) + "\r\nno size\r\n";
            }
            default -> throw new AssertionError(wrong);
        };
        try (RawClient client = new RawClient(gateway().port())) {
            RawClient.Response response = client.send(ask.textWithBody(body));

            assertThat(response.status()).as(response.text()).isBetween(400, 403);
            assertThat(response.headers()).containsEntry("connection", "close");
            assertThat(client.isClosedByServer()).isTrue();
        }
        assertAbsent("begun");
    }

    /** A body whose bytes are a request, signed and all: were it ever read as one, it would do what it says. */
    @Test
    default void refusedBodyIsNeverReadAsARequest() throws IOException {
        byte[] before = stored("victim", "victim", 100);
        String attack = SignedWriteRequest.of("DELETE", target("victim")).head();
        byte[] body = bytes(attack + attack);

        for (SignedWriteRequest ask : List.of(
                SignedWriteRequest.put("/no-such-bucket-here/x", body),
                SignedWriteRequest.put(target("x"), body).with("x-amz-unheard-of: 1"),
                SignedWriteRequest.put(target("x"), body).with("Content-MD5: " + TestChecksum.md5(new byte[0])),
                SignedWriteRequest.put(target("x"), body).with("If-None-Match: *", "If-Match: *"),
                SignedWriteRequest.put(target("x"), body).with("x-amz-copy-source: no-slash"),
                SignedWriteRequest.put(target("x") + "?partNumber=0&uploadId=x", body),
                SignedWriteRequest.put(target("x") + "?partNumber=1&uploadId=no-such-upload", body),
                SignedWriteRequest.of("POST", target("x") + "?uploadId=x").body(body),
                SignedWriteRequest.of("POST", "/" + bucket() + "?delete").body(body),
                SignedWriteRequest.of("POST", "/" + bucket()).body(body),
                SignedWriteRequest.of("DELETE", target("x")).body(body),
                SignedWriteRequest.get(target("victim")).body(body),
                SignedWriteRequest.put(target("x"), body).by(RESTRICTED_KEY, RESTRICTED_SECRET),
                SignedWriteRequest.put(target("x"), body).by("TESTKEY", "not-the-secret"),
                SignedWriteRequest.put(target("x"), body).hash(PayloadSigning.sha256(new byte[0])))) {
            assertInStep(ask, ask.bodyText());
            assertHolds("victim", before);
        }
    }

    /** A large body that is refused by its head, and goes on coming. */
    @Test
    default void refusedLargeBodyClosesTheConnection() throws IOException {
        stored("next", "next", 100);
        SignedWriteRequest ask = SignedWriteRequest.put("/no-such-bucket-here/x", new byte[300_000]);

        assertInStep(ask, ask.bodyText());
    }

    private void assertRefusedAndInStep(SignedWriteRequest ask, String body, int status) throws IOException {
        RawClient.Response response = assertInStep(ask, body);

        assertThat(response.status()).as(response.text()).isEqualTo(status);
    }

    /** That the next request on the same socket is answered right, or the socket closed; the first answer. */
    private RawClient.Response assertInStep(SignedWriteRequest ask, String body) throws IOException {
        byte[] next = stored("next", "next", 100);
        try (RawClient client = new RawClient(gateway().port())) {
            RawClient.Response first = sent(
                    client,
                    ask.textWithBody(body)
                            + SignedWriteRequest.get(target("next")).head());
            List<RawClient.Response> more = new ArrayList<>();
            try {
                more.add(client.send(SignedWriteRequest.get(target("next")).head()));
                more.add(client.send(""));
            } catch (IOException closed) {
                assertThat(first.headers())
                        .as("an answer behind which the connection is closed says so")
                        .containsEntry("connection", "close");
            }
            assertThat(more).allSatisfy(response -> assertThat(response.bytes()).isEqualTo(next));
            assertThat(more.isEmpty() || more.size() == 2).isTrue();
            return first;
        }
    }

    private static RawClient.Response sent(RawClient client, String all) throws IOException {
        try {
            return client.send(all);
        } catch (SocketException closedWhileSending) {
            return client.send("");
        }
    }

    private void cut(SignedWriteRequest ask, int sent) throws IOException {
        try (RawClient client = new RawClient(gateway().port())) {
            OutputStream out = client.socket().getOutputStream();
            out.write(bytes(ask.head() + ask.bodyText().substring(0, sent)));
            out.flush();
            Polling.until("the head has come", () -> gateway().inFlight() > 0);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
