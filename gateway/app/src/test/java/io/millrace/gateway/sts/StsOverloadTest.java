package io.millrace.gateway.sts;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.app.Gateway;
import io.millrace.gateway.app.SettingsLoader;
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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sts.StsClient;

/**
 * Tests that neither unsigned clients of STS nor an identity provider in trouble keep other clients from their
 * credentials.
 */
@Timeout(120)
class StsOverloadTest {
    private static final String ARN = "arn:aws:iam::000000000000:role/";

    @TempDir
    private Path folder;

    private final HttpClient client = HttpClient.newHttpClient();
    private RSAKey key;
    private OidcServer good;
    private OidcServer bad;
    private Gateway gateway;

    @BeforeEach
    void start() throws Exception {
        key = new RSAKeyGenerator(2048).keyID("key").generate();
        good = new OidcServer();
        bad = new OidcServer();
        good.publish(key);
        bad.publish(key);
        gateway = Gateway.start(SettingsLoader.ofText("""
                s3: { address: 127.0.0.1, port: 0 }
                admin: { address: 127.0.0.1, port: 0 }
                data: %1$s/data
                backends: { local: { type: file, path: %1$s/objects } }
                buckets: [ { name: data, backend: local } ]
                identities: [ { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" } ]
                sts:
                  plain-http: true
                  issuers: [ { url: "%2$s", audience: millrace }, { url: "%3$s", audience: millrace } ]
                  roles:
                    - { name: good, issuer: "%2$s", subjects: [ pod ], allow: [ "read:data" ] }
                    - { name: bad, issuer: "%3$s", subjects: [ pod ], allow: [ "read:data" ] }
                    - { name: keeper, assumed-by: [ user/admin ], allow: [ "read:data" ] }
                """.formatted(folder, good.url(), bad.url()), Map.of()));
    }

    @AfterEach
    void stop() {
        gateway.close();
        good.close();
        bad.close();
    }

    @Test
    void bodiesThatDoNotComeKeepNobodyOut() throws Exception {
        List<Socket> stalled = new ArrayList<>();
        try {
            for (int i = 0; i < 300; i++) {
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), gateway.s3Port());
                stalled.add(socket);
                socket.getOutputStream()
                        .write(("POST /sts HTTP/1.1\r\nhost: a\r\ncontent-type: application/x-www-form-urlencoded\r\n"
                                        + "content-length: 1000\r\n\r\nA")
                                .getBytes(ISO_8859_1));
            }
            Polling.until("all are open", () -> connections() >= stalled.size());

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

    private double connections() throws Exception {
        return client.send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.adminPort() + "/metrics"))
                                .build(),
                        BodyHandlers.ofLines())
                .body()
                .filter(line -> line.startsWith("millrace_s3_connections{") && line.contains("\"s3\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .sum();
    }

    private String assumeByKey() {
        try (StsClient sts = StsClient.builder()
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(sts())
                .region(Region.US_EAST_1)
                .overrideConfiguration(plan -> plan.retryStrategy(AwsRetryStrategy.doNotRetry()))
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create("ADMIN01", "ADMIN01-secret")))
                .build()) {
            return sts.assumeRole(role -> role.roleArn(ARN + "keeper").roleSessionName("test"))
                    .credentials()
                    .sessionToken();
        }
    }

    private CompletableFuture<HttpResponse<String>> assumeByToken(String role, OidcServer provider, RSAKey by) {
        try {
            String token = OidcServer.signed(
                    by, JWSAlgorithm.RS256, provider.claims("pod").build());
            return client.sendAsync(
                    request("Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=" + ARN + role
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
        return URI.create("http://127.0.0.1:" + gateway.s3Port() + "/sts");
    }
}
