package io.millrace.gateway.app;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.auth.PayloadType;
import io.millrace.auth.Sha256;
import io.millrace.auth.signature.RequestSigner;
import io.millrace.config.Secret;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;
import software.amazon.awssdk.services.sts.StsClient;
import software.amazon.awssdk.services.sts.model.Credentials;

/**
 * Tests that one of two principals gets nothing of what the other has read into the cache, and a revoked one nothing at
 * all.
 */
@Timeout(120)
class SeparatedPrincipalsTest {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String ROLE = "arn:aws:iam::000000000000:role/keeper";

    private final MillracePorts ports;
    private List<String> keys = List.of();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    SeparatedPrincipalsTest() throws IOException {
        ports = new MillracePorts();
    }

    /** Returns how many objects there are. */
    int objects() {
        return 4;
    }

    @AfterEach
    void giveBackPorts() throws IOException {
        ports.close();
    }

    @Test
    void otherPrincipalAndRevokedSessionsAreRefused() throws Exception {
        write();
        AwsSessionCredentials own;
        AwsSessionCredentials keeper;
        List<URI> links;
        try (AutoCloseable gateway = start();
                S3Client alice = s3(keys("ALICE01"));
                StsClient sts = sts()) {
            own = session(sts.getSessionToken().credentials());
            keeper = session(sts.assumeRole(request -> request.roleArn(ROLE).roleSessionName("test"))
                    .credentials());
            try (S3Client ownS3 = s3(own);
                    S3Client keeperS3 = s3(keeper);
                    S3Presigner presigner = presigner(own)) {
                links = keys.stream().map(key -> link(presigner, key)).toList();
                for (S3Client reader : List.of(alice, alice, ownS3, keeperS3)) {
                    keys.forEach(key -> assertThat(content(reader, key)).isEqualTo(key));
                }
                assertThat(status(links.get(0))).isEqualTo(200);
                assertBobIsRefused();

                HttpResponse<String> revoked =
                        send("ADMIN01", "revocations", "{\"target\":\"sessions-of\",\"name\":\"alice\"}");

                assertThat(revoked.statusCode()).as(revoked.body()).isEqualTo(200);
                assertSessionsAreRefused(own, keeper, links);
            }
        }
        try (AutoCloseable gateway = start()) {
            assertSessionsAreRefused(own, keeper, links);
            assertBobIsRefused();
        }
    }

    /** Starts a gateway; how it ends is up to those who extend this. */
    AutoCloseable start() throws Exception {
        return Gateway.start(
                SettingsLoader.ofFile(folder.resolve("millrace.yaml"), MachineChecks.inThisProcess()),
                Optional.empty());
    }

    final Path folder() {
        return folder;
    }

    final int adminPort() {
        return ports.admin();
    }

    private void assertBobIsRefused() throws Exception {
        try (S3Client bob = s3(keys("BOB0001"));
                S3Presigner presigner = presigner(keys("BOB0001"))) {
            for (String key : keys) {
                assertDenied(() -> content(bob, key));
                assertDenied(() -> bob.headObject(head -> head.bucket("data").key(key)));
                assertDenied(() ->
                        bob.getObjectAsBytes(get -> get.bucket("data").key(key).range("bytes=0-0")));
                assertDenied(() -> bob.copyObject(copy -> copy.sourceBucket("data")
                        .sourceKey(key)
                        .destinationBucket("data")
                        .destinationKey("b/copy")));
                assertThat(status(link(presigner, key))).isEqualTo(403);
                assertThat(get("BOB0001", "explain?bucket=data&key=" + key)).isEqualTo(403);
            }
            assertThat(get("BOB0001", "residency?bucket=data&prefix=a/")).isEqualTo(403);
            assertThat(get("BOB0001", "residency?bucket=data")).isEqualTo(403);
            assertDenied(() -> bob.listObjectsV2(list -> list.bucket("data").prefix("a/")));
            assertDenied(() -> bob.listObjectsV2(list -> list.bucket("data")));
            for (String job : List.of(
                    "\"prefetch\",\"from\":{\"bucket\":\"data\",\"prefix\":\"a/\"}",
                    "\"copy\",\"from\":{\"bucket\":\"data\",\"prefix\":\"a/\"},"
                            + "\"to\":{\"bucket\":\"data\",\"prefix\":\"b/\"}")) {
                HttpResponse<String> refused = send("BOB0001", "jobs", "{\"kind\":" + job + "}");
                assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
            }
            assertThat(content(bob, "b/own")).isEqualTo("b/own");
        }
    }

    private void assertSessionsAreRefused(AwsCredentials own, AwsCredentials keeper, List<URI> links) throws Exception {
        try (S3Client ownS3 = s3(own);
                S3Client keeperS3 = s3(keeper);
                S3Client alice = s3(keys("ALICE01"))) {
            for (String key : keys) {
                assertDenied(() -> content(ownS3, key));
                assertDenied(() -> content(keeperS3, key));
                assertThat(content(alice, key)).isEqualTo(key);
            }
            for (URI link : links) {
                assertThat(status(link)).isEqualTo(403);
            }
        }
    }

    private void write() throws IOException {
        keys = IntStream.range(0, objects()).mapToObj("a/%04d"::formatted).toList();
        Path data = folder.resolve("objects/data");
        Files.createDirectories(data.resolve("a"));
        Files.createDirectories(data.resolve("b"));
        for (String key : keys) {
            Files.writeString(data.resolve(key), key);
        }
        Files.writeString(data.resolve("b/own"), "b/own");
        Files.writeString(folder.resolve("millrace.yaml"), """
                s3: { address: 127.0.0.1, port: %1$d }
                admin: { address: 127.0.0.1, port: %2$d }
                data: %3$s/state
                cache: { disks: [ { path: %3$s/cache, size: 1GiB } ], fill-memory: 64MiB }
                backends: { local: { type: file, path: %3$s/objects } }
                buckets: [ { name: data, backend: local, freshness: { mode: immutable } } ]
                identities:
                - { name: admin, access-key: ADMIN01, secret-key: ADMIN01-secret, allow: "*" }
                - { name: alice, access-key: ALICE01, secret-key: ALICE01-secret, allow: "read,list:data/a/*" }
                - { name: bob, access-key: BOB0001, secret-key: BOB0001-secret, allow: "read,list,write:data/b/*" }
                sts:
                  plain-http: true
                  roles: [ { name: keeper, assumed-by: [ user/alice ], allow: [ "read:data/a/*" ] } ]
                """.formatted(ports.s3(), ports.admin(), folder));
    }

    /** Returns the status of what the console shows. */
    private int get(String accessKey, String path) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + ports.admin() + "/api/v1/" + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri);
        new RequestSigner(accessKey, Secret.of(accessKey + "-secret"), "us-east-1")
                .sign(uri, "GET", Map.of(), new PayloadType.Sha256(Sha256.hex(new byte[0])), Instant.now())
                .forEach(request::header);
        return CLIENT.send(request.build(), BodyHandlers.discarding()).statusCode();
    }

    private HttpResponse<String> send(String accessKey, String path, String body) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + ports.admin() + "/api/v1/" + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .header("content-type", "application/json")
                .POST(BodyPublishers.ofString(body));
        new RequestSigner(accessKey, Secret.of(accessKey + "-secret"), "us-east-1")
                .sign(uri, "POST", Map.of(), new PayloadType.Sha256(Sha256.hex(body.getBytes(UTF_8))), Instant.now())
                .forEach(request::header);
        // Another client keeps no connection to a gateway that has ended.
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }

    private static void assertDenied(Runnable request) {
        S3Exception refused = catchThrowableOfType(S3Exception.class, request::run);
        assertThat(refused).isNotNull();
        assertThat(refused.statusCode()).isEqualTo(403);
    }

    private static int status(URI link) throws Exception {
        return CLIENT.send(HttpRequest.newBuilder(link).build(), BodyHandlers.discarding())
                .statusCode();
    }

    private static String content(S3Client s3, String key) {
        return s3.getObjectAsBytes(get -> get.bucket("data").key(key)).asUtf8String();
    }

    private static URI link(S3Presigner presigner, String key) {
        return URI.create(presigner
                .presignGetObject(url -> url.signatureDuration(Duration.ofMinutes(30))
                        .getObjectRequest(get -> get.bucket("data").key(key)))
                .url()
                .toString());
    }

    private static AwsSessionCredentials session(Credentials issued) {
        return AwsSessionCredentials.create(issued.accessKeyId(), issued.secretAccessKey(), issued.sessionToken());
    }

    private static AwsCredentials keys(String accessKey) {
        return AwsBasicCredentials.create(accessKey, accessKey + "-secret");
    }

    private StsClient sts() {
        return StsClient.builder()
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(URI.create("http://127.0.0.1:" + ports.s3() + "/sts"))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(keys("ALICE01")))
                .build();
    }

    private S3Client s3(AwsCredentials credentials) {
        return S3Client.builder()
                .httpClientBuilder(Apache5HttpClient.builder())
                .endpointOverride(URI.create("http://127.0.0.1:" + ports.s3()))
                .forcePathStyle(true)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(credentials))
                .build();
    }

    private S3Presigner presigner(AwsCredentials credentials) {
        return S3Presigner.builder()
                .endpointOverride(URI.create("http://127.0.0.1:" + ports.s3()))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(credentials))
                .serviceConfiguration(
                        S3Configuration.builder().pathStyleAccessEnabled(true).build())
                .build();
    }
}
