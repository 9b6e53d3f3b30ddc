package io.millrace.gateway.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.session.Revocation;
import io.millrace.auth.session.RevocationDecision;
import io.millrace.auth.session.RevocationLog;
import io.millrace.auth.session.RevocationTarget;
import io.millrace.backend.testkit.ReservedPort;
import io.millrace.backend.testkit.server.ScriptedServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.Exceptions;

/** Only what proves to be the member's response to this request is taken for it, and nobody is waited for in vain. */
class PeerClientTest {
    private static final PeerKey KEY = new PeerKey(LiveCluster.SECRET, "prod");
    private static final LeaseRequest REQUEST =
            new LeaseRequest("gw-0", 1, LiveCluster.LEASE, Optional.empty(), 0, Map.of());
    private static final LeaseResponse RESPONSE = new LeaseResponse.NewSession(new SessionId(1, 2), Map.of());
    private static final byte[] BODY =
            PeerCodec.encode(new PeerCodec.DigestResponse(RESPONSE, Optional.empty(), false));

    private final PeerClock clock = new SystemPeerClock();
    private RevocationLog revocations;
    private PeerClient client;

    @BeforeEach
    void open(@TempDir Path folder) throws IOException {
        revocations = RevocationLog.open(folder, InstantSource.system());
        client = new PeerClient(
                "prod",
                KEY,
                new PeerStores(Map::of, KEY),
                new PeerRevocations(revocations),
                Optional.empty(),
                clock,
                InstantSource.system());
    }

    @AfterEach
    void stop() throws IOException, InterruptedException {
        client.close().block();
        revocations.close();
        clock.close();
    }

    @Test
    void provenResponseIsTaken() throws IOException {
        try (ScriptedServer peer = peer((request, wire) -> {
            wire.take(request);
            wire.bytes(response(200, BODY, proofOf(request)));
        })) {
            reach(peer);

            assertThat(client.request("gw-1", REQUEST).block()).isEqualTo(RESPONSE);
            assertThat(client.request("gw-1", REQUEST).block()).isEqualTo(RESPONSE);
            assertThat(client.contact("gw-1").listed()).contains(true);
            assertThat(client.contact("gw-1").problem()).isEmpty();
        }
    }

    @Test
    void responseToAReadMustProveWhatItSaysOfTheObject() throws IOException {
        try (ScriptedServer peer = peer((request, wire) -> {
            wire.take(request);
            wire.bytes(("HTTP/1.1 200 OK\r\nx-millrace-object: e30=\r\nx-millrace-proof: 00\r\n"
                            + "Content-Length: 2\r\n\r\n{}")
                    .getBytes(StandardCharsets.ISO_8859_1));
        })) {
            reach(peer);

            assertThatThrownBy(() -> client.read("gw-1", new byte[1]).block())
                    .hasMessageContaining("is no member of this cluster (status 200)");
        }
    }

    /** Whatever stands in front of a dead one does not. */
    @Test
    void memberWithTooMuchToDoLives() throws IOException {
        byte[] later = "later".getBytes(StandardCharsets.US_ASCII);
        byte[] unproven = "HTTP/1.1 503 S\r\nContent-Length: 5\r\n\r\nlater".getBytes(StandardCharsets.US_ASCII);
        try (ScriptedServer peer = peer((request, wire) -> {
            wire.take(request);
            wire.bytes(request.number() == 0 ? response(PeerPort.LATER, later, proofOf(request)) : unproven);
        })) {
            reach(peer);

            assertThatCode(() -> client.alive("gw-1").block()).doesNotThrowAnyException();
            assertThatThrownBy(() -> client.alive("gw-1").block())
                    .hasMessageContaining("is no member of this cluster (status 503)");
        }
    }

    @Test
    void memberOfAnEarlierReleaseDoesNoCalls() throws IOException {
        try (ScriptedServer peer = peer((request, wire) -> {
            wire.take(request);
            wire.text("HTTP/1.1 404 N\r\nContent-Length: 24\r\n\r\nno message has this path");
        })) {
            reach(peer);

            assertThatThrownBy(() -> client.call("gw-1", new byte[1]).block())
                    .hasMessageContaining("gw-1: what listens at its address is no member of this cluster, or of an"
                            + " earlier release (status 404)");
            assertThat(client.contact("gw-1").problem()).isEmpty();
        }
    }

    @Test
    void responseToAnEarlierRequestIsRefused() throws IOException {
        List<String> proofs = new CopyOnWriteArrayList<>();
        try (ScriptedServer peer = peer((request, wire) -> {
            wire.take(request);
            proofs.add(proofOf(request));
            wire.bytes(response(200, BODY, proofs.get(0)));
        })) {
            reach(peer);

            assertThat(client.request("gw-1", REQUEST).block()).isEqualTo(RESPONSE);
            assertThatThrownBy(() -> client.request("gw-1", REQUEST).block())
                    .hasMessageContaining("is no member of this cluster (status 200)");
        }
    }

    @Test
    void changedOrUnprovenResponseIsRefused() throws IOException {
        try (ScriptedServer peer = peer((request, wire) -> {
            wire.take(request);
            byte[] proven = response(200, BODY, proofOf(request));
            wire.bytes(
                    request.number() == 0
                            ? new String(proven, StandardCharsets.ISO_8859_1)
                                    .replace("\"number\":2", "\"number\":3")
                                    .getBytes(StandardCharsets.ISO_8859_1)
                            : "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}".getBytes(StandardCharsets.ISO_8859_1));
        })) {
            reach(peer);

            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> client.request("gw-1", REQUEST).block())
                        .hasMessageContaining("is no member of this cluster (status 200)");
            }
        }
    }

    @Test
    void refusalThatNeedsTheKeyIsNotTakenFromAStranger() throws IOException {
        try (ScriptedServer peer = peer((request, wire) -> {
            wire.take(request);
            wire.text(
                    request.number() == 0
                            ? "HTTP/1.1 403 F\r\nContent-Length: 12\r\n\r\nother-member"
                            : "HTTP/1.1 401 U\r\nContent-Length: 17\r\n\r\nother-secret evil");
        })) {
            reach(peer);

            assertThatThrownBy(() -> client.request("gw-1", REQUEST).block())
                    .hasMessageContaining("is no member of this cluster (status 403)");
            assertThat(client.contact("gw-1").refusal()).isEmpty();
            assertThatThrownBy(() -> client.request("gw-1", REQUEST).block())
                    .satisfies(failure -> assertThat(Exceptions.unwrap(failure))
                            .isInstanceOfSatisfying(
                                    PeerRefusal.class,
                                    refusal -> assertThat(refusal.reason()).isEqualTo(PeerRefusal.Reason.OTHER_SECRET)))
                    .hasMessageNotContaining("evil");
            assertThat(client.contact("gw-1").refusal()).contains(PeerRefusal.Reason.OTHER_SECRET);
        }
    }

    @Test
    void peerThatDripsIsNotWaitedFor() throws IOException {
        try (ScriptedServer peer = peer((request, wire) -> {
            wire.take(request);
            wire.head("200 OK", "Content-Length: 1000000");
            for (int i = 0; i < 1_000_000; i++) {
                wire.text("x");
                wire.endPacket();
            }
        })) {
            reach(peer);

            assertThatThrownBy(() -> client.request("gw-1", REQUEST).block())
                    .hasMessageContaining("no response within 2 s");
            assertThat(client.contact("gw-1").problem().orElseThrow()).contains("gw-1 at 127.0.0.1:");
        }
    }

    @Test
    void endlessResponseIsNotKept() throws IOException {
        try (ScriptedServer peer = peer((request, wire) -> {
            wire.take(request);
            wire.head("200 OK", "Content-Length: 1000000000");
            byte[] piece = new byte[1 << 16];
            for (int i = 0; i < 1000; i++) {
                wire.bytes(piece);
            }
        })) {
            reach(peer);

            assertThatThrownBy(() -> client.request("gw-1", REQUEST).block()).hasMessageContaining("1048576 bytes");
        }
    }

    @Test
    void whoIsNotThereIsTold() throws IOException {
        try (ReservedPort nobody = new ReservedPort()) {
            client.reload(List.of(new PeerAddress("gw-1", "127.0.0.1", nobody.number())));

            assertThatThrownBy(() -> client.request("gw-1", REQUEST).block()).hasMessageContaining("no connection");
            assertThatThrownBy(() -> client.request("gw-2", REQUEST).block())
                    .hasMessageContaining("is not on the list of members");
        }
    }

    /** Until then this member may accept what the other one has revoked, and must not count as one that hears it. */
    @Test
    void responseOfAMemberThatHasRevokedMoreCountsWhenThatIsRevokedHere() throws IOException {
        RevocationDecision decision =
                new RevocationDecision(RevocationTarget.ROLE, "trainer", Optional.of(Instant.EPOCH), Instant.EPOCH);
        byte[] lease = PeerCodec.encode(new PeerCodec.DigestResponse(RESPONSE, Optional.of(5L), false));
        byte[] page = PeerCodec.encode(new RevocationPage(List.of(decision), Optional.empty()));
        List<String> requests = new CopyOnWriteArrayList<>();
        try (ScriptedServer peer = peer((request, wire) -> {
            wire.take(request);
            requests.add(request.target());
            boolean isFirst = requests.size() == 2;
            byte[] body = request.target().endsWith("lease") ? lease : page;
            wire.bytes(response(isFirst ? PeerPort.LATER : 200, body, proofOf(request)));
        })) {
            reach(peer);

            assertThatThrownBy(() -> client.request("gw-1", REQUEST).block()).hasMessageContaining("too much to do");
            assertThat(client.contact("gw-1").heardAt()).isEmpty();
            assertThat(client.request("gw-1", REQUEST).block()).isEqualTo(RESPONSE);
            assertThat(revocations.all()).extracting(Revocation::name).containsExactly("trainer");
            // The same once more: the digest is not this member's, but nothing is fetched again.
            assertThat(client.request("gw-1", REQUEST).block()).isEqualTo(RESPONSE);
            assertThat(requests)
                    .containsExactly("/v1/lease", "/v1/revocations", "/v1/lease", "/v1/revocations", "/v1/lease");
        }
    }

    private static ScriptedServer peer(ScriptedServer.ResponseScript script) throws IOException {
        return ScriptedServer.start(script);
    }

    private void reach(ScriptedServer peer) {
        client.reload(List.of(new PeerAddress("gw-1", "127.0.0.1", peer.uri().getPort())));
    }

    private static String proofOf(ScriptedServer.ReceivedRequest request) {
        return PeerCredential.parse(request.header("authorization").orElse(""))
                .orElseThrow()
                .proof();
    }

    private static byte[] response(int status, byte[] body, String proofOfRequest) {
        String head = "HTTP/1.1 %d S\r\nContent-Length: %d\r\nX-Millrace-Proof: %s\r\n\r\n"
                .formatted(status, body.length, KEY.proofOfResponse(proofOfRequest, status, body));
        return (head + new String(body, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
    }
}
