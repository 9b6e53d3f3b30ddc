package io.millrace.gateway.app;

import static io.millrace.gateway.app.ApiServer.API;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.signature.RequestSigner;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.app.ApiServer.Response;
import io.millrace.gateway.testkit.RawClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that what an operator revokes is refused at once, wherever it is used. */
@Timeout(120)
class ApiRevocationsTest {
    private static final String ALICE = "{\"target\":\"identity\",\"name\":\"alice\"}";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private ApiServer server;

    @BeforeEach
    void start() throws Exception {
        server = ApiServer.start(
                folder,
                "{ name: data, backend: local, freshness: { mode: immutable } }",
                "audit: { path: %s/audit.log }\n".formatted(folder));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void revokedIdentityIsRefusedEverywhereUntilThatIsLifted() throws Exception {
        URI link = new RequestSigner("ALICE01", ApiServer.ALICE.secret(), "anywhere")
                .presign(
                        URI.create("http://127.0.0.1:" + server.s3Port() + "/data/o-01"),
                        "GET",
                        Duration.ofHours(1),
                        Instant.now());
        String token = ApiServer.ALICE.token();
        assertThat(answers(link, token)).containsExactly(200, 200, 200);

        Response revoked = server.post(ApiServer.ADMIN, API + "/revocations", ALICE);
        assertThat(revoked.status()).isEqualTo(200);
        assertThat(revoked.field("target")).isEqualTo("identity");
        assertThat(answers(link, token)).containsExactly(403, 401, 401);
        assertThat(server.get(ApiServer.BOB, API + "/whoami").status()).isEqualTo(200);
        assertThat(server.get(ApiServer.ADMIN, API + "/revocations").text()).contains("\"name\":\"alice\"");

        String lift = API + "/revocations?target=identity&name=alice";
        assertThat(server.send(ApiServer.ADMIN, "DELETE", lift, "").status()).isEqualTo(204);
        assertThat(server.get(ApiServer.ALICE, API + "/whoami").status()).isEqualTo(200);
        assertThat(answers(link, token)).containsExactly(403, 200, 401);
        assertThat(server.get(ApiServer.ADMIN, API + "/revocations").text()).contains("\"sessions-of\"");
        assertThat(server.send(ApiServer.ADMIN, "DELETE", lift, "").status()).isEqualTo(404);
        assertThat(server.send(ApiServer.ADMIN, "DELETE", lift.replace("identity", "sessions-of"), "")
                        .status())
                .isEqualTo(204);
        assertThat(answers(link, token)).containsExactly(200, 200, 200);
    }

    /** The presigned URL, a signed request and a token of the console. */
    private int[] answers(URI link, String token) throws Exception {
        int presigned = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(link).build(), BodyHandlers.discarding())
                .statusCode();
        int signed = server.get(ApiServer.ALICE, API + "/whoami").status();
        int console = ApiServer.send(
                        server.request("GET", API + "/whoami", "", Map.of("authorization", "Bearer " + token)))
                .status();
        return new int[] {presigned, signed, console};
    }

    @Test
    void runningJobOfARevokedIdentityFails() throws Exception {
        Response job = server.post(
                ApiServer.ALICE,
                API + "/jobs",
                "{\"kind\":\"prefetch\",\"from\":{\"bucket\":\"data\"},\"workers\":1,\"requestsPerSecond\":1}");
        assertThat(job.status()).as(job.text()).isEqualTo(201);
        String path = API + "/jobs/" + job.field("id");
        Polling.until(
                "the job works",
                () -> server.get(ApiServer.ADMIN, path)
                                .json()
                                .path("progress")
                                .path("done")
                                .asInt()
                        > 0);

        assertThat(server.post(ApiServer.ADMIN, API + "/revocations", ALICE).status())
                .isEqualTo(200);

        Response ended = server.awaitEnd(job.field("id"));
        assertThat(ended.field("state")).isEqualTo("failed");
        assertThat(ended.field("message")).contains("'alice'", "revoked");
        assertThat(ended.json().path("progress").path("done").asInt()).isLessThan(ApiServer.OBJECTS);
    }

    @Test
    void callerRevokedBeforeTheEndOfAnEmptyBodyIsRefused() throws Exception {
        try (RawClient client = new RawClient(server.port())) {
            String head = "GET " + API + "/whoami HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer "
                    + ApiServer.ALICE.token() + "\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
            client.socket().getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            String goOn = "HTTP/1.1 100 Continue\r\n\r\n";
            // The caller is known by now.
            assertThat(new String(client.in().readNBytes(goOn.length()), StandardCharsets.US_ASCII))
                    .isEqualToIgnoringCase(goOn);

            assertThat(server.post(ApiServer.ADMIN, API + "/revocations", ALICE).status())
                    .isEqualTo(200);

            assertThat(client.send("0\r\n\r\n").status()).isEqualTo(401);
        }
    }

    @Test
    void onlyOperatorsRevoke() throws Exception {
        assertThat(server.post(ApiServer.KEEPER, API + "/revocations", ALICE).status())
                .isEqualTo(403);
        assertThat(server.get(ApiServer.KEEPER, API + "/revocations").status()).isEqualTo(403);
        assertThat(server.send(ApiServer.KEEPER, "DELETE", API + "/revocations?target=all", "")
                        .status())
                .isEqualTo(403);
        assertThat(server.get(ApiServer.ALICE, API + "/whoami").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | target",
                "{'target':'key'} | target",
                "{'target':'role'} | name",
                "{'target':'role','name':'a b'} | name",
                "{'target':'all','name':'a'} | name",
                "{'target':'all','before':'9999-01-01T00:00:00Z'} | before",
                "{'target':'all','before':'yesterday'} | before",
                "{'target':'identity','name':'alice','before':'2026-01-01T00:00:00Z'} | before",
                "{'target':'all','when':'2026-01-01T00:00:00Z'} | when",
            })
    void wrongFieldIsNamed(String body, String field) throws Exception {
        Response refused = server.post(ApiServer.ADMIN, API + "/revocations", body.replace('\'', '"'));
        assertThat(refused.status()).as(refused.text()).isEqualTo(400);
        assertThat(refused.field("field")).as(refused.text()).isEqualTo(field);
        assertThat(server.get(ApiServer.ADMIN, API + "/revocations").text()).contains("[]");
    }

    @Test
    void auditNamesWhatWasRevoked() throws Exception {
        server.post(ApiServer.ADMIN, API + "/revocations", ALICE);
        server.send(ApiServer.ADMIN, "DELETE", API + "/revocations?target=identity&name=alice", "");
        server.post(ApiServer.BOB, API + "/revocations", ALICE);
        Polling.until(
                "three acts are recorded",
                () -> Files.readAllLines(folder.resolve("audit.log")).size() == 3);
        assertThat(Files.readAllLines(folder.resolve("audit.log")))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .contains("\"admin\"", "POST /api/v1/revocations identity alice", "allowed"),
                        line -> assertThat(line)
                                .contains("\"admin\"", "DELETE /api/v1/revocations identity alice", "allowed"),
                        line -> assertThat(line).contains("\"bob\"", "POST /api/v1/revocations", "denied"));
    }
}
