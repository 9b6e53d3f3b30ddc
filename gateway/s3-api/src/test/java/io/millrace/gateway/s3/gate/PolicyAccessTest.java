package io.millrace.gateway.s3.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.policy.BucketPolicy;
import io.millrace.auth.policy.IdentityPolicy;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Verifies policies over HTTP, with warm objects: what the cache has is shown to nobody who may not read it. */
class PolicyAccessTest {
    private static final int OBJECTS = 20;

    @TempDir
    Path folder;

    private final InMemoryBackend objects = new InMemoryBackend();
    private final FaultyBackend backend = new FaultyBackend(objects, FaultPlan.none());
    private BlockCache cache;
    private TestGateway gateway;
    private SigningClient alice;
    private SigningClient bob;
    private SigningClient anonymous;

    @BeforeEach
    void start() throws Exception {
        cache = CacheFixture.in(folder);
        for (int i = 0; i < OBJECTS; i++) {
            store("home/alice/" + i);
            store("home/bob/" + i);
            store("public/" + i);
        }
        gateway = TestGateway.builder()
                .cache(cache)
                .freshness(BucketViews.freshness(
                        FreshnessSettings.Mode.TTL, Duration.ofMinutes(10), Duration.ZERO, Duration.ZERO))
                .policy(BucketPolicy.read(
                        file("{ 'Effect': 'Allow', 'Principal': '*', 'Action': 's3:GetObject', 'Resource':"
                                + " 'arn:aws:s3:::data/public/*' }, { 'Effect': 'Deny', 'Principal': { 'AWS':"
                                + " 'arn:aws:iam::000000000000:user/bob' }, 'Action': 's3:GetObject', 'Resource':"
                                + " 'arn:aws:s3:::data/public/7' }")))
                .bucket("data", backend)
                .identity("alice", "ALICE", "alice-secret", List.of(home()))
                .identity("bob", "BOB", "bob-secret", List.of(home()))
                .identity(
                        "local",
                        "LOCAL",
                        "local-secret",
                        List.of(IdentityPolicy.read(
                                file("{ 'Effect': 'Allow', 'Action': '*', 'Resource': '*', 'Condition': {"
                                        + " 'IpAddress': { 'aws:SourceIp': '127.0.0.0/8' } } }"))))
                .identity(
                        "remote",
                        "REMOTE",
                        "remote-secret",
                        List.of(IdentityPolicy.read(
                                file("{ 'Effect': 'Allow', 'Action': '*', 'Resource': '*', 'Condition': {"
                                        + " 'IpAddress': { 'aws:SourceIp': '192.0.2.0/24' } } }"))))
                .identity(
                        "secure",
                        "SECURE",
                        "secure-secret",
                        List.of(IdentityPolicy.read(
                                file("{ 'Effect': 'Allow', 'Action': '*', 'Resource': '*' }, { 'Effect':"
                                        + " 'Deny', 'Action': '*', 'Resource': '*', 'Condition': {"
                                        + " 'Bool': { 'aws:SecureTransport': 'false' } } }"))))
                .start();
        alice = SigningClient.of(gateway, "ALICE", "alice-secret");
        bob = SigningClient.of(gateway, "BOB", "bob-secret");
        anonymous = SigningClient.anonymous(gateway);
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
    }

    @Test
    void warmObjectIsRefusedInEveryWay() throws IOException {
        for (int i = 0; i < OBJECTS; i++) {
            for (int times = 0; times < 3; times++) {
                assertThat(alice.get("/data/home/alice/" + i).bytes()).isEqualTo(content("home/alice/" + i));
            }
        }
        Polling.until("reads are served from memory", () -> {
            alice.get("/data/home/alice/0");
            return gateway.requests().stream().anyMatch(request -> request.fastPath());
        });
        long requested = calls();

        for (int i = 0; i < OBJECTS; i++) {
            String target = "/data/home/alice/" + i;
            for (SigningClient other : List.of(bob, anonymous)) {
                assertThat(other.get(target).status()).isEqualTo(403);
                assertThat(other.head(target).status()).isEqualTo(403);
                assertThat(other.ask("GET", target, Map.of("range", "bytes=0-9"))
                                .status())
                        .isEqualTo(403);
                assertThat(other.get("/data/home/bob/../alice/" + i).status()).isEqualTo(403);
                assertThat(other.ask("PUT", "/data/home/bob/copy", Map.of("x-amz-copy-source", target))
                                .status())
                        .isEqualTo(403);
            }
        }
        assertThat(bob.get("/data?prefix=home%2Falice%2F").status()).isEqualTo(403);
        assertThat(bob.get("/data").status()).isEqualTo(403);
        assertThat(calls()).isEqualTo(requested);
        assertThat(bob.get("/data?prefix=home%2Fbob%2F").text())
                .contains("home/bob/1")
                .doesNotContain("alice");
        assertThat(bob.get("/data/home/bob/0").status()).isEqualTo(200);
    }

    @Test
    void bucketPolicyOpensAndDenies() throws IOException {
        assertThat(anonymous.get("/data/public/7").status()).isEqualTo(200);
        assertThat(alice.get("/data/public/7").status()).isEqualTo(200);
        assertThat(bob.get("/data/public/7").status()).isEqualTo(403);
        assertThat(bob.get("/data/public/8").status()).isEqualTo(200);
        assertThat(anonymous.get("/data?prefix=public%2F").status()).isEqualTo(403);
        assertThat(anonymous.get("/data/public/none").status()).isEqualTo(403);
    }

    @Test
    void connectionDecidesIfAPolicySaysSo() throws IOException {
        assertThat(SigningClient.of(gateway, "LOCAL", "local-secret")
                        .get("/data/home/bob/1")
                        .status())
                .isEqualTo(200);
        for (String name : List.of("REMOTE", "SECURE")) {
            SigningClient client = SigningClient.of(gateway, name, name.toLowerCase(Locale.ROOT) + "-secret");

            assertThat(client.get("/data/home/bob/1").status()).isEqualTo(403);
            assertThat(client.get("/data").status()).isEqualTo(403);
        }
        assertThat(SigningClient.of(gateway, "SECURE", "secure-secret").get("/").status())
                .isEqualTo(403);
    }

    @Test
    void bucketsAreShownToWhomTheyAreOpen() throws IOException {
        assertThat(alice.get("/").text()).contains("<Name>data</Name>");
        assertThat(alice.head("/data").status()).isEqualTo(200);
    }

    /** The policy of everybody's home, by name. */
    private IdentityPolicy home() throws Exception {
        return IdentityPolicy.read(file(
                "{ 'Effect': 'Allow', 'Action': 's3:*Object', 'Resource': 'arn:aws:s3:::data/home/${aws:username}/*' },"
                        + " { 'Effect': 'Allow', 'Action': 's3:ListBucket', 'Resource': 'arn:aws:s3:::data',"
                        + " 'Condition': { 'StringLike': { 's3:prefix': 'home/${aws:username}/*' } } }"));
    }

    private Path file(String statements) throws IOException {
        String json = "{ 'Version': '2012-10-17', 'Statement': [ %s ] }".formatted(statements);
        return Files.writeString(folder.resolve("policy.json"), json.replace('\'', '"'));
    }

    private void store(String key) {
        objects.store(
                new ObjectRef(new BucketName("data"), new ObjectKey(key)),
                GeneratedBytes.of(key).first(1000),
                HeaderList.EMPTY);
    }

    private static byte[] content(String key) {
        return GeneratedBytes.of(key).first(1000);
    }

    private long calls() {
        return Arrays.stream(FaultPlan.Operation.values())
                .mapToLong(backend::calls)
                .sum();
    }
}
