package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.Sha256;
import io.millrace.backend.spi.TierRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** What strangers send is refused by its head; what members send gets a response that proves whose it is. */
class PeerPortTest {
    private static final String NONCE = "0123456789abcdef0123456789abcdef";
    private static final String LEASE = "/v1/lease";
    private static final PeerKey KEY = new PeerKey(LiveCluster.SECRET, "prod");
    private static final String REQUEST = new String(
            PeerCodec.encode(new PeerCodec.StoresRequest(
                    new LeaseRequest("gw-1", 1, LiveCluster.LEASE, Optional.empty(), 0, Map.of()), Map.of())),
            StandardCharsets.UTF_8);

    @TempDir
    Path folder;

    private final RecordingCache cache = new RecordingCache();
    private final List<RawClient> open = new ArrayList<>();
    private LiveCluster cluster;
    private ClusterMember member;
    private int port;

    @BeforeEach
    void start() throws IOException {
        cluster = new LiveCluster(folder, "gw-0", "gw-1");
        member = cluster.start("gw-0", LiveCluster.Options.usual().by(ManualTime::new), cache);
        member.serveCalls(Mono::just);
        port = member.port();
    }

    @AfterEach
    void stop() throws IOException {
        for (RawClient client : open) {
            client.close();
        }
        cluster.close();
    }

    @Test
    void memberGetsAResponseThatProvesWhoseItIs() throws IOException {
        String proof = KEY.proof(LEASE, credential(REQUEST));

        RawClient.Response response = RawClient.ask(port, signed(LEASE, REQUEST));

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.body()).contains("\"kind\":\"new-session\"");
        assertThat(response.headers()).containsEntry("x-millrace-proof", proofOf(proof, response));
    }

    /** It would end the session of the member that had sent it. */
    @Test
    void capturedLeaseRequestIsNotServedLongAfter() throws IOException {
        long now = Instant.now().getEpochSecond();
        assertThat(RawClient.ask(port, signed(LEASE, REQUEST, now)).status()).isEqualTo(200);

        assertThat(RawClient.ask(port, signed(LEASE, REQUEST, now - 6)).status())
                .isEqualTo(503);
        assertThat(RawClient.ask(port, signed(LEASE, REQUEST, now - 5)).status())
                .isEqualTo(200);
        assertThat(RawClient.ask(port, signed(LEASE, REQUEST, now - 6)).status())
                .isEqualTo(503);
    }

    @Test
    void whoIsNotListedIsToldSo() throws IOException {
        String request = REQUEST.replace("gw-1", "stranger");

        RawClient.Response response = RawClient.ask(port, signed(LEASE, request));

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.body()).contains("\"kind\":\"not-listed\"");
    }

    /** Nothing of the body is sent, so nothing of it can have been read. */
    @ParameterizedTest
    @CsvSource({
        "'', 401, not signed",
        "'Basic YTpi', 401, not signed",
        "'Millrace-Peer prod gw-0 1 " + NONCE + " 00 00', 401, not signed",
        "'Millrace-Peer prod gw-0 9999999999999 " + NONCE + " HASH HASH', 401, not signed",
        "'Millrace-Peer prod gw-0 1 " + NONCE + " HASH HASH', 401, other-secret",
        "'Millrace-Peer prof gw-0 1 " + NONCE + " HASH HASH', 401, other-cluster"
    })
    void strangerIsRefusedBeforeItsBodyIsRead(String authorization, int status, String word) throws IOException {
        RawClient client = connect();
        String value = authorization.replace("HASH", "0".repeat(64));

        RawClient.Response response = client.send(head(LEASE, 1_000_000, value));

        assertThat(response.status()).isEqualTo(status);
        assertThat(response.body()).isEqualTo(word);
        assertThat(response.headers()).doesNotContainKey("x-millrace-proof");
        assertThat(client.isClosedByServer()).isTrue();
    }

    @Test
    void proofIsOfAllThatTheHeadSays() throws IOException {
        PeerCredential credential = credential(REQUEST);
        String proof = KEY.proof(LEASE, credential);
        PeerCredential another = new PeerCredential(
                credential.cluster(), credential.to(), credential.seconds() + 1, NONCE, credential.bodyHash());

        assertThat(RawClient.ask(port, head("/v1/goodbye", REQUEST.length(), credential.header(proof)) + REQUEST)
                        .body())
                .isEqualTo("other-secret");
        assertThat(RawClient.ask(port, head(LEASE, REQUEST.length(), another.header(proof)) + REQUEST)
                        .body())
                .isEqualTo("other-secret");
        assertThat(RawClient.ask(port, head(LEASE, REQUEST.length(), credential.header(proof)) + REQUEST)
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"gw-1,    0, other-member gw-0 is there", "gw-0,  950, other-time 9", "gw-0, -950, other-time 9"})
    void messageForAnotherMemberOrTimeIsRefusedWithAProof(String to, int seconds, String words) throws IOException {
        PeerCredential credential = new PeerCredential(
                "prod", to, Instant.now().getEpochSecond() + seconds, NONCE, Sha256.hex(new byte[0]));
        String proof = KEY.proof(LEASE, credential);

        RawClient.Response response = RawClient.ask(port, head(LEASE, 0, credential.header(proof)));

        assertThat(response.status()).isEqualTo(403);
        assertThat(response.body()).startsWith(words);
        assertThat(response.headers()).containsEntry("x-millrace-proof", proofOf(proof, response));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/lease         | nonsense                               | malformed it is not the JSON",
                "/v1/lease         | {\"version\":1}                        | malformed member is missing",
                "/v1/lease         | {\"version\":1,\"member\":\"a b\"}     | malformed member is not a name",
                "/v1/goodbye       | {\"version\":1,\"member\":\"gw-1\"}    | malformed session is missing",
                "/v1/announcements | {\"version\":1}                        | malformed first must be at least 1",
                "/v1/announcements | {\"version\":0}                        | malformed version is missing",
            })
    void malformedMessageIsRefusedWithAWord(String path, String body, String words) throws IOException {
        RawClient.Response response = RawClient.ask(port, signed(path, body));

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.body()).startsWith(words);
    }

    @Test
    void messageOfALaterReleaseIsRefused() throws IOException {
        RawClient.Response response = RawClient.ask(port, signed(LEASE, "{\"version\":2}"));

        assertThat(response.status()).isEqualTo(403);
        assertThat(response.body()).startsWith("other-version");
    }

    @Test
    void bodyThatIsNotTheSignedOneIsRefused() throws IOException {
        String other = REQUEST.replace("\"process\":1", "\"process\":2");

        RawClient.Response response = RawClient.ask(port, signed(LEASE, REQUEST).replace(REQUEST, other));

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.body()).isEqualTo("malformed the body is not the one that was signed");
    }

    @Test
    void tooLongMessageIsRefusedBeforeItIsRead() throws IOException {
        PeerCredential credential = credential("");
        String proof = KEY.proof(LEASE, credential);

        RawClient.Response response = connect().send(head(LEASE, PeerCodec.MOST_BYTES + 1, credential.header(proof)));

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.body()).isEqualTo("malformed a message has at most 1048576 bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET /v1/lease", "POST /v1/leases", "POST /"})
    void otherRequestsAreNotFound(String line) throws IOException {
        RawClient.Response response = RawClient.ask(port, line + " HTTP/1.1\r\nHost: gw-0\r\n\r\n");

        assertThat(response.status()).isEqualTo(404);
    }

    @Test
    void longHeadsAreRefused() throws IOException {
        String fields = "X-A: " + "a".repeat(PeerPort.MOST_HEADERS) + "\r\n";

        assertThat(RawClient.ask(port, "POST /v1/lease HTTP/1.1\r\nHost: gw-0\r\n" + fields + "\r\n")
                        .status())
                .isEqualTo(431);
        assertThat(RawClient.ask(port, "POST /" + "a".repeat(1000) + " HTTP/1.1\r\nHost: gw-0\r\n\r\n")
                        .status())
                .isEqualTo(414);
    }

    @Test
    void announcementsThatMustWaitAreSentAgain() throws IOException {
        RawClient.Response response = RawClient.ask(
                port,
                signed(
                        "/v1/announcements",
                        new String(
                                PeerCodec.encode(new AnnouncementBatch(
                                        "gw-1",
                                        new SessionId(1, 1),
                                        1,
                                        List.of(new Announcement.BucketChanged(new BackendBucket("aws", "bucket"))))),
                                StandardCharsets.UTF_8)));

        assertThat(response.status()).isEqualTo(503);
        assertThat(cache.applied).isEmpty();
    }

    @Test
    void bodyThatDripsIsCutOff() throws IOException {
        RawClient client = connect();
        client.socket()
                .getOutputStream()
                .write(signed(LEASE, REQUEST)
                        .substring(0, signed(LEASE, REQUEST).length() - 1)
                        .getBytes(StandardCharsets.ISO_8859_1));

        // Whatever is said before, the connection ends.
        assertThat(client.in().readAllBytes().length).isLessThan(1000);
    }

    @Test
    void readOfAStrangerIsRefused() throws IOException {
        RawClient client = connect();

        RawClient.Response response = client.send(head("/v1/objects", 100, ""));

        assertThat(response.status()).isEqualTo(401);
        assertThat(response.headers()).doesNotContainKeys("x-millrace-proof", "x-millrace-object");
        assertThat(RawClient.ask(port, "GET /v1/objects/bucket/key HTTP/1.1\r\nHost: gw-0\r\n\r\n")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void readThatIsNoneIsRefusedWithAWord() throws IOException {
        RawClient.Response response = RawClient.ask(port, signed("/v1/objects", "{\"version\":1}"));

        assertThat(response.status()).isEqualTo(400);
        assertThat(response.body()).startsWith("malformed place is missing");
    }

    @Test
    void callOfAStrangerIsRefused() throws IOException {
        RawClient.Response response = connect().send(head("/v1/calls", 100, ""));

        assertThat(response.status()).isEqualTo(401);
        assertThat(response.headers()).doesNotContainKey("x-millrace-proof");
    }

    @Test
    void callMayBeLongerThanAMessageButNotEndless() throws IOException {
        String call = "c".repeat(PeerCodec.MOST_BYTES + 1);
        String tooLong = "c".repeat(PeerCodec.MOST_CALL_BYTES + 1);

        assertThat(RawClient.ask(port, signed("/v1/calls", call)).body()).isEqualTo(call);
        assertThat(RawClient.ask(port, signedHead(LEASE, call)).body()).startsWith("malformed a message has at most");
        assertThat(RawClient.ask(port, signedHead("/v1/calls", tooLong)).body())
                .startsWith("malformed a message has at most");
    }

    /** Its JSON may be long, and the event loop has leases to serve. */
    @Test
    void callIsDoneOffTheEventLoop() throws IOException {
        member.serveCalls(
                call -> Mono.fromSupplier(() -> Thread.currentThread().getName().getBytes(StandardCharsets.US_ASCII)));

        assertThat(RawClient.ask(port, signed("/v1/calls", "call")).body()).startsWith("parallel-");
    }

    /** Reactor Netty may lose a request that comes while another thread ends the response before it. */
    @Test
    @Timeout(60)
    void callsFollowEachOtherOnOneConnection() throws IOException {
        RawClient client = connect();
        client.socket().setSoTimeout(10_000);

        for (int i = 0; i < 2_000; i++) {
            assertThat(client.send(signed("/v1/calls", "call-" + i)).body()).isEqualTo("call-" + i);
        }
    }

    /** This one has no cache. */
    @Test
    void memberThatKeepsNothingServesNoReads() throws IOException {
        String read = new String(
                RelayCodec.encode(new RelayedRead(
                        new BucketName("bucket"),
                        ObjectId.current("store", new ObjectRef(new BucketName("bucket"), new ObjectKey("key"))),
                        new RelayedRead.Head(),
                        TierRequest.NONE)),
                StandardCharsets.UTF_8);

        assertThat(RawClient.ask(port, signed("/v1/objects", read)).status()).isEqualTo(PeerPort.LATER);
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/lease, " + PeerPort.MOST_AT_ONCE,
        "/v1/objects, " + PeerPort.MOST_READS,
        "/v1/calls, " + PeerPort.MOST_CALLS
    })
    void messagesBeyondTheBoundMustWait(String path, int most) throws IOException {
        String beginning = signed(path, REQUEST).replace(REQUEST, "");
        // Again if the machine is so slow that the first of them are cut off before the last have begun.
        Polling.until("there is no room", () -> {
            List<RawClient> waiting = new ArrayList<>();
            for (int i = 0; i < most; i++) {
                waiting.add(connect());
                waiting.get(i).socket().getOutputStream().write(beginning.getBytes(StandardCharsets.ISO_8859_1));
            }
            boolean isFull = RawClient.ask(port, signed(path, REQUEST)).status() == PeerPort.LATER;
            for (RawClient client : isFull ? List.<RawClient>of() : waiting) {
                end(client);
            }
            return isFull;
        });
        Polling.until(
                "those that send nothing are cut off",
                () -> RawClient.ask(port, signed(path, REQUEST)).status() != PeerPort.LATER);
    }

    /** Waits until the port has closed it, too: until then it counts among those of its address. */
    private static void end(RawClient client) throws IOException {
        try (client) {
            client.socket().shutdownOutput();
            assertThat(client.in().readAllBytes().length).isLessThan(1000);
        } catch (SocketException reset) {
            // Closed as well.
        }
    }

    @Test
    void connectionsOfOneAddressGiveWayToItsOwn() throws IOException {
        for (int i = 0; i < PeerPort.MOST_CONNECTIONS_OF_ONE; i++) {
            connect();
        }

        assertThat(connect().send(signed(LEASE, REQUEST)).status()).isEqualTo(200);
        // Which one was accepted first two event loops decide.
        Polling.until("an older one is closed", () -> {
            boolean isOneClosed = false;
            for (RawClient client : open.subList(0, PeerPort.MOST_CONNECTIONS_OF_ONE)) {
                isOneClosed |= isClosed(client);
            }
            return isOneClosed;
        });
    }

    private static boolean isClosed(RawClient client) throws IOException {
        client.socket().setSoTimeout(1);
        try {
            return client.isClosedByServer();
        } catch (SocketTimeoutException quiet) {
            return false;
        }
    }

    private RawClient connect() throws IOException {
        RawClient client = new RawClient(port);
        open.add(client);
        return client;
    }

    private static String signed(String path, String body) {
        return signed(path, body, Instant.now().getEpochSecond());
    }

    /** Of a body that is refused before it is read. */
    private static String signedHead(String path, String body) {
        return signed(path, body).replace(body, "");
    }

    private static String signed(String path, String body, long seconds) {
        PeerCredential credential = credential(body, seconds);
        return head(path, body.length(), credential.header(KEY.proof(path, credential))) + body;
    }

    private static PeerCredential credential(String body) {
        return credential(body, Instant.now().getEpochSecond());
    }

    private static PeerCredential credential(String body, long seconds) {
        return new PeerCredential(
                "prod", "gw-0", seconds, NONCE, Sha256.hex(body.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static String head(String path, int length, String authorization) {
        String field = authorization.isEmpty() ? "" : "Authorization: " + authorization + "\r\n";
        return "POST %s HTTP/1.1\r\nHost: gw-0\r\n%sContent-Length: %d\r\n\r\n".formatted(path, field, length);
    }

    private static String proofOf(String request, RawClient.Response response) {
        return KEY.proofOfResponse(request, response.status(), response.bytes());
    }
}
