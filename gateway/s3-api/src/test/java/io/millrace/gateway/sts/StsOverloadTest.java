package io.millrace.gateway.sts;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.testkit.TestGateway;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.sts.StsClient;

/**
 * Tests that neither unsigned clients of STS nor an identity provider in trouble keep other clients from their
 * credentials.
 */
@Timeout(120)
class StsOverloadTest {
    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();
    private RSAKey key;
    private OidcServer good;
    private OidcServer bad;
    private IssuingGateway gateway;

    @BeforeEach
    void start() throws Exception {
        key = new RSAKeyGenerator(2048).keyID("key").generate();
        good = new OidcServer();
        bad = new OidcServer();
        good.publish(key);
        bad.publish(key);
        gateway = IssuingGateway.start(TestGateway.builder(), folder, """
                plain-http: true
                issuers: [ { url: "%1$s", audience: millrace }, { url: "%2$s", audience: millrace } ]
                roles:
                - { name: good, issuer: "%1$s", subjects: [ pod ], allow: [ "read:data" ] }
                - { name: bad, issuer: "%2$s", subjects: [ pod ], allow: [ "read:data" ] }
                - { name: keeper, assumed-by: [ user/admin ], allow: [ "read:data" ] }
                """.formatted(good.url(), bad.url()));
    }

    @AfterEach
    void stop() throws Exception {
        gateway.close();
        good.close();
        bad.close();
    }

    @Test
    void bodiesThatDoNotComeKeepNobodyOut() throws Exception {
        List<Socket> stalled = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.port());
                stalled.add(socket);
                socket.getOutputStream()
                        .write(("POST /sts HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-www-form-urlencoded\r\n"
                                        + "content-length: 1000\r\n\r\nA")
                                .getBytes(ISO_8859_1));
            }
            Polling.until("all are open", () -> gateway.connections() >= stalled.size());

            assertThat(assumeByKey()).isNotEmpty();
            assertThat(assumeByToken("good", good, key).get().statusCode()).isEqualTo(200);
        } finally {
            for (Socket socket : stalled) {
                socket.close();
            }
        }
    }

    @Test
    void hangingProviderDelaysNeitherKeysNorTokensOfAnother() throws Exception {
        bad.drip("/keys");
        RSAKey unknown = new RSAKey.Builder(key).keyID("unknown").build();
        List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add(assumeByToken("bad", bad, unknown));
        }
        Polling.until("its keys are fetched", () -> bad.keyFetches() > 0);

        assertThat(assumeByKey()).isNotEmpty();
        assertThat(assumeByToken("good", good, key).get().statusCode()).isEqualTo(200);

        assertThat(waiting).as("those of the provider that hangs").noneMatch(CompletableFuture::isDone);
        for (CompletableFuture<HttpResponse<String>> one : waiting) {
            assertThat(one.get().body()).contains("<Code>IDPCommunicationError</Code>");
        }
    }

    @Test
    void unknownKeysOfAHangingProviderDoNotDelayKnownOnes() throws Exception {
        assertThat(assumeByToken("bad", bad, key).get().statusCode()).isEqualTo(200);
        bad.drip("/keys");
        RSAKey unknown = new RSAKey.Builder(key).keyID("unknown").build();
        List<CompletableFuture<HttpResponse<String>>> waiting = IntStream.range(0, 20)
                .mapToObj(i -> assumeByToken("bad", bad, unknown))
                .toList();
        Polling.until("its keys are fetched", () -> bad.keyFetches() > 1);

        assertThat(assumeByToken("bad", bad, key).get().statusCode()).isEqualTo(200);

        assertThat(waiting).noneMatch(CompletableFuture::isDone);
    }

    private String assumeByKey() {
        try (StsClient sts = gateway.clients().adminSts()) {
            return StsClients.assume(sts, "keeper", null, null).sessionToken();
        }
    }

    private CompletableFuture<HttpResponse<String>> assumeByToken(String role, OidcServer provider, RSAKey by) {
        try {
            String token = OidcServer.signed(
                    by, JWSAlgorithm.RS256, provider.claims("pod").build());
            return client.sendAsync(
                    request("Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + StsClients.ROLE + role
                                    + "&RoleSessionName=test&WebIdentityToken=" + token)
                            .build(),
                    BodyHandlers.ofString());
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private HttpRequest.Builder request(String form) {
        return HttpRequest.newBuilder(sts())
                .timeout(Duration.ofSeconds(60))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(form));
    }

    private URI sts() {
        return URI.create("http://127.0.0.1:" + gateway.port() + "/sts");
    }
}
