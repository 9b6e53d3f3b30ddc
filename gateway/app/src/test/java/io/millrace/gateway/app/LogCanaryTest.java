package io.millrace.gateway.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import io.millrace.auth.PayloadType;
import io.millrace.auth.Sha256;
import io.millrace.auth.session.BearerTokens;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.config.Secret;
import io.millrace.gateway.sts.OidcServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.model.Credentials;

/** Tests that no secret, token or signature is in the log, even if all of it is on. */
@Timeout(180)
class LogCanaryTest {
    private static final Secret SECRET = Secret.of("canary-secret-key");
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final MillracePorts ports;
    private final List<String> canaries = new ArrayList<>(List.of(SECRET.reveal()));

    LogCanaryTest() throws IOException {
        ports = new MillracePorts();
    }

    @AfterEach
    void giveBackPorts() throws IOException {
        ports.close();
    }

    @Test
    void logWithEverythingOnHasNoSecret() throws Exception {
        try (OidcServer provider = new OidcServer()) {
            logHasNoSecret(provider);
        }
    }

    private void logHasNoSecret(OidcServer provider) throws Exception {
        Path bucket = Files.createDirectories(folder.resolve("objects/data"));
        Files.writeString(bucket.resolve("key"), "content");
        Files.writeString(folder.resolve("millrace.yaml"), """
                s3: { address: 127.0.0.1, port: %1$d, access-log: { path: ./access.log } }
                admin: { address: 127.0.0.1, port: %2$d }
                data: ./state
                audit: { path: ./audit.log, reads: true }
                cache: { disks: [ { path: ./cache, size: 1GiB } ], fill-memory: 64MiB }
                backends: { local: { type: file, path: ./objects } }
                buckets: [ { name: data, backend: local } ]
                identities: [ { name: admin, access-key: ADMIN01, secret-key: %3$s, allow: "*" } ]
                sts:
                  plain-http: true
                  issuers: [ { url: "%4$s", audience: millrace } ]
                  roles: [ { name: reader, assumed-by: [ user/admin ], issuer: "%4$s", subjects: [ pod ], allow: [ "read:*" ] } ]
                """.formatted(
                        ports.s3(), ports.admin(), SECRET.reveal(), provider.url()));
        try (MillraceProcess process = MillraceProcess.run(
                        folder, Map.of("LOGGING_LEVEL_ROOT", "TRACE"), "serve", "--config", "millrace.yaml")
                .awaitHealth(ports.admin())) {
            signedRequests();
            presignedUrl();
            bearerToken();
            session();
            webIdentity(provider);
            browserSession();
            canaries.add(Files.readString(folder.resolve("state/session-keys")).substring(0, 64));
            process.terminate();
            process.exitCode();
            String log = process.output()
                    + Files.readString(folder.resolve("audit.log"))
                    + Files.readString(folder.resolve("access.log"));
            assertThat(Files.readString(folder.resolve("access.log"))).contains("GetObject GET /data/key 200");
            assertThat(log).contains("TRACE", "/data/key", "AssumeRole reader");
            assertThat(canaries)
                    .allSatisfy(canary -> assertThat(log.contains(canary))
                            .as("the log has %s", canary)
                            .isFalse());
        }
    }

    private void signedRequests() throws Exception {
        for (String path : new String[] {"/data/key", "/data/absent"}) {
            send(
                    URI.create("http://127.0.0.1:" + ports.s3() + path),
                    "GET",
                    "",
                    SECRET,
                    path.endsWith("key") ? 200 : 404);
            send(URI.create("http://127.0.0.1:" + ports.s3() + path), "GET", "", Secret.of("wrong-secret-key"), 403);
        }
        send(
                URI.create("http://127.0.0.1:" + ports.admin() + "/api/v1/revocations"),
                "POST",
                "{\"target\":\"role\",\"name\":\"other\"}",
                SECRET,
                200);
    }

    private void browserSession() throws Exception {
        HttpResponse<Void> begun = CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.admin() + "/api/v1/session"))
                        .header(
                                "authorization",
                                "Bearer " + BearerTokens.make("ADMIN01", SECRET, Duration.ofHours(1), Instant.now()))
                        .POST(BodyPublishers.noBody())
                        .build(),
                BodyHandlers.discarding());
        String cookie = begun.headers().firstValue("set-cookie").orElseThrow();
        String pair = cookie.substring(0, cookie.indexOf(';'));
        canaries.add(pair.substring(pair.indexOf('.') + 1));
        CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.admin() + "/api/v1/whoami"))
                        .header("cookie", pair)
                        .header("x-millrace-console", "1")
                        .build(),
                BodyHandlers.discarding());
    }

    private void presignedUrl() throws Exception {
        URI link = new RequestSigner("ADMIN01", SECRET, "us-east-1")
                .presign(
                        URI.create("http://127.0.0.1:" + ports.s3() + "/data/key"),
                        "GET",
                        Duration.ofHours(1),
                        Instant.now());
        String query = link.getRawQuery();
        canaries.add(query.substring(query.indexOf("X-Amz-Signature=") + "X-Amz-Signature=".length()));
        assertThat(CLIENT.send(HttpRequest.newBuilder(link).build(), BodyHandlers.discarding())
                        .statusCode())
                .isEqualTo(200);
    }

    private void bearerToken() throws Exception {
        String token = BearerTokens.make("ADMIN01", SECRET, Duration.ofHours(1), Instant.now());
        canaries.add(token);
        canaries.add(token.substring(token.lastIndexOf('.') + 1));
        for (String sent : new String[] {token, token + "x"}) {
            CLIENT.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.admin() + "/api/v1/whoami"))
                            .header("authorization", "Bearer " + sent)
                            .build(),
                    BodyHandlers.discarding());
        }
    }

    private void session() {
        URI endpoint = URI.create("http://127.0.0.1:" + ports.s3());
        AwsCredentialsProvider admin =
                StaticCredentialsProvider.create(AwsBasicCredentials.create("ADMIN01", SECRET.reveal()));
        try (StsClient sts = StsClient.builder()
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(admin)
                .build()) {
            Credentials issued = sts.assumeRole(request -> request.roleArn("arn:aws:iam::000000000000:role/reader")
                            .roleSessionName("test"))
                    .credentials();
            canaries.add(issued.secretAccessKey());
            canaries.add(issued.sessionToken());
            AwsSessionCredentials session =
                    AwsSessionCredentials.create(issued.accessKeyId(), issued.secretAccessKey(), issued.sessionToken());
            try (S3Client s3 = S3Client.builder()
                    .httpClientBuilder(Apache5HttpClient.builder())
                    .endpointOverride(endpoint)
                    .forcePathStyle(true)
                    .region(Region.US_EAST_1)
                    .credentialsProvider(StaticCredentialsProvider.create(session))
                    .build()) {
                assertThat(s3.getObjectAsBytes(get -> get.bucket("data").key("key"))
                                .asUtf8String())
                        .isEqualTo("content");
            }
        }
    }

    /** A token of a provider that lets its owner in, and one with a signature of another key that does not. */
    private void webIdentity(OidcServer provider) throws Exception {
        RSAKey key = new RSAKeyGenerator(2048).keyID("key").generate();
        provider.publish(key);
        for (RSAKey by : List.of(key, new RSAKeyGenerator(2048).keyID("key").generate())) {
            String token = OidcServer.signed(
                    by, JWSAlgorithm.RS256, provider.claims("pod").build());
            canaries.add(token);
            canaries.add(token.substring(token.lastIndexOf('.') + 1));
            HttpResponse<String> response = CLIENT.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.s3() + "/sts"))
                            .header("content-type", "application/x-www-form-urlencoded")
                            .POST(BodyPublishers.ofString("Action=AssumeRoleWithWebIdentity&Version=2011-06-15"
                                    + "&RoleArn=arn:aws:iam::000000000000:role/reader"
                                    + "&RoleSessionName=pod&WebIdentityToken=" + token))
                            .build(),
                    BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(by.equals(key) ? 200 : 400);
            for (String secret : List.of("SecretAccessKey", "SessionToken")) {
                Matcher issued = Pattern.compile("<" + secret + ">([^<]+)<").matcher(response.body());
                if (issued.find()) {
                    canaries.add(issued.group(1));
                }
            }
        }
    }

    private void send(URI uri, String method, String body, Secret secret, int status) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (!body.isEmpty()) {
            request.header("content-type", "application/json");
        }
        Map<String, String> headers = new RequestSigner("ADMIN01", secret, "us-east-1")
                .sign(uri, method, Map.of(), new PayloadType.Sha256(Sha256.hex(body.getBytes(UTF_8))), Instant.now());
        headers.forEach(request::header);
        String authorization = headers.values().stream()
                .filter(value -> value.contains("Signature="))
                .findFirst()
                .orElseThrow();
        canaries.add(authorization.substring(authorization.indexOf("Signature=") + "Signature=".length()));
        HttpResponse<Void> response = CLIENT.send(request.build(), BodyHandlers.discarding());
        assertThat(response.statusCode()).isEqualTo(status);
    }
}
