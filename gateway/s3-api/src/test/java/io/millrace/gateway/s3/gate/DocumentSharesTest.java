package io.millrace.gateway.s3.gate;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.IdentityRegistry;
import io.millrace.auth.policy.AllowRule;
import io.millrace.auth.session.RoleRegistry;
import io.millrace.auth.session.RoleSettings;
import io.millrace.auth.session.SessionCredentials;
import io.millrace.auth.session.SessionGrant;
import io.millrace.auth.session.SessionKey;
import io.millrace.auth.session.Sessions;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that the memory for documents is shared by who is accountable: a client chooses the names of its sessions, and
 * any number.
 */
@Timeout(180)
class DocumentSharesTest {
    private static final int LARGE = 2 << 20;

    /** Long enough that a refusal comes in it; without one, a further document is sent. */
    private static final int REFUSAL_MILLIS = 300;

    private final Sessions sessions = sessions();

    @Test
    void sessionsOfOneTokenLeaveRoomForTheDocumentsOfOthers() throws Exception {
        List<RawClient> holding = new ArrayList<>();
        try (TestGateway gateway = TestGateway.builder()
                .bucket("pub", new InMemoryBackend())
                .credentials(sessions)
                .drain(Duration.ZERO)
                .start()) {
            for (String name : List.of("pod-1", "pod-2", "pod-3")) {
                SessionCredentials session = sessions.issue(
                        SessionGrant.toWebIdentity("deleter", name, "https://issuer pod", ""), Duration.ofHours(1));
                Polling.until("documents of " + name + " are refused", () -> {
                    RawClient client = gateway.connect();
                    holding.add(client);
                    return isRefused(gateway, client, session);
                });
            }

            SigningClient other = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);

            assertThat(delete(gateway, other, 0)).isEqualTo(200);
            assertThat(delete(gateway, other, LARGE)).isEqualTo(200);
        } finally {
            for (RawClient client : holding) {
                client.close();
            }
        }
    }

    /** Sends a document without its last byte. */
    private static boolean isRefused(TestGateway gateway, RawClient client, SessionCredentials session)
            throws Exception {
        String head = SigningClient.of(
                        gateway, session.accessKey(), session.secretKey().reveal())
                .request(
                        "POST",
                        "/pub?delete",
                        Map.of(
                                "content-length",
                                Integer.toString(LARGE),
                                "x-amz-security-token",
                                session.token().reveal()));
        client.socket().getOutputStream().write(head.getBytes(ISO_8859_1));
        try {
            client.socket().getOutputStream().write(new byte[LARGE - 1]);
        } catch (SocketException refused) {
            // The connection was closed before all was sent, and the response may be lost with it: the next one tells.
            return false;
        }
        client.socket().setSoTimeout(REFUSAL_MILLIS);
        try {
            String status = RawClient.line(client.in());
            assertThat(status).startsWith("HTTP/1.1 503");
            return true;
        } catch (SocketTimeoutException held) {
            return false;
        }
    }

    /** Deletes an object by a document with so many spaces. */
    private static int delete(TestGateway gateway, SigningClient client, int spaces) throws Exception {
        String body = "<Delete><Object><Key>key</Key></Object>" + " ".repeat(spaces) + "</Delete>";
        byte[] hash = MessageDigest.getInstance("MD5").digest(body.getBytes(ISO_8859_1));
        Map<String, String> fields = Map.of(
                "content-length",
                Integer.toString(body.length()),
                "content-md5",
                Base64.getEncoder().encodeToString(hash));
        try (RawClient connection = gateway.connect()) {
            return connection
                    .send(client.request("POST", "/pub?delete", fields) + body)
                    .status();
        }
    }

    private static Sessions sessions() {
        RoleSettings deleter = new RoleSettings(
                "deleter",
                Optional.empty(),
                List.of(),
                Map.of(),
                List.of("user/tester"),
                List.of(),
                List.of(AllowRule.parse("*")),
                List.of(),
                Duration.ofHours(1));
        List<SessionKey> keys = List.of(new SessionKey(new byte[SessionKey.BYTES]));
        return new Sessions(
                () -> keys,
                new RoleRegistry(List.of(deleter)),
                IdentityRegistry.of(List.of()),
                Optional.empty(),
                InstantSource.system());
    }
}
