package io.millrace.gateway.s3.connection;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.policy.BucketPolicy;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestCertificate;
import io.millrace.gateway.testkit.TestGateway;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests conditions on a client's address and scheme behind proxies, and clients that claim to be behind one. */
@Timeout(120)
class ForwardedClientTest {
    /** Everybody in one network may read one object, and who is on an encrypted connection another. */
    private static final String POLICY = """
            { "Version": "2012-10-17", "Statement": [
              { "Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::pub/near",
                "Condition": { "IpAddress": { "aws:SourceIp": "203.0.113.0/24" } } },
              { "Effect": "Allow", "Principal": "*", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::pub/secure",
                "Condition": { "Bool": { "aws:SecureTransport": "true" } } } ] }
            """;

    private static final String PROXY = "127.0.0.1";

    @TempDir
    private Path folder;

    private final InMemoryBackend backend = new InMemoryBackend();

    @BeforeEach
    void store() {
        for (String key : new String[] {"near", "secure"}) {
            backend.store(new ObjectRef(new BucketName("pub"), new ObjectKey(key)), new byte[100], HeaderList.EMPTY);
        }
    }

    @Test
    void aDeclaredProxyNamesTheClient() throws Exception {
        try (TestGateway gateway = start(PROXY, "10.0.0.0/8");
                RawClient proxy = gateway.connect()) {
            assertThat(status(proxy, "near", "X-Forwarded-For: 203.0.113.9")).isEqualTo(200);
            assertThat(status(proxy, "near", "X-Forwarded-For: 1.1.1.1", "X-Forwarded-For: 203.0.113.9, 10.0.0.7"))
                    .isEqualTo(200);
            assertThat(status(proxy, "near")).isEqualTo(403);
            Polling.until("they are recorded", () -> gateway.requests().size() == 3);
            assertThat(gateway.requests())
                    .extracting(request -> request.peer())
                    .containsExactly("203.0.113.9", "203.0.113.9", PROXY);
        }
    }

    @Test
    void entriesOfTheClientItselfAreNotRead() throws Exception {
        try (TestGateway gateway = start(PROXY, "10.0.0.0/8");
                RawClient proxy = gateway.connect()) {
            assertThat(status(proxy, "near", "X-Forwarded-For: 203.0.113.9, 198.51.100.1"))
                    .isEqualTo(403);
            assertThat(status(proxy, "near", "X-Forwarded-For: 203.0.113.9", "X-Forwarded-For: 198.51.100.1, 10.0.0.7"))
                    .isEqualTo(403);
            assertThat(status(proxy, "near", "X-Forwarded-For: 203.0.113.9, unknown"))
                    .isEqualTo(403);
            assertThat(status(proxy, "near", "X-Forwarded-For: 203.0.113.9" + ", 10.0.0.7".repeat(1_000)))
                    .isEqualTo(403);
            assertThat(status(proxy, "near", "Forwarded: for=203.0.113.9", "X-Real-Ip: 203.0.113.9"))
                    .isEqualTo(403);
        }
    }

    @Test
    void headersOfOtherPeersAreIgnored() throws Exception {
        for (String[] declared : new String[][] {{}, {"10.0.0.0/8", "::1"}, {"127.0.0.2"}}) {
            try (TestGateway gateway = start(declared);
                    RawClient client = gateway.connect()) {
                assertThat(status(client, "near", "X-Forwarded-For: 203.0.113.9"))
                        .isEqualTo(403);
                assertThat(status(client, "near", "X-Forwarded-For: 203.0.113.9, 10.0.0.7"))
                        .isEqualTo(403);
                assertThat(status(client, "secure", "X-Forwarded-Proto: https")).isEqualTo(403);
            }
        }
    }

    @Test
    void aDeclaredProxyNamesTheScheme() throws Exception {
        try (TestGateway gateway = start(PROXY);
                RawClient proxy = gateway.connect()) {
            assertThat(status(proxy, "secure", "X-Forwarded-Proto: https")).isEqualTo(200);
            assertThat(status(proxy, "secure", "X-Forwarded-Proto: http")).isEqualTo(403);
            assertThat(status(proxy, "secure", "X-Forwarded-Proto: http", "X-Forwarded-Proto: https"))
                    .isEqualTo(403);
            assertThat(status(proxy, "secure")).isEqualTo(403);
        }
    }

    /** File regions cannot pass TLS, whatever the proxy says of its own client. */
    @Test
    void schemeOfTheClientDoesNotChangeHowBytesAreSent() throws Exception {
        byte[] large = GeneratedBytes.of("large").first(3 << 20);
        backend.store(new ObjectRef(new BucketName("pub"), new ObjectKey("near")), large, HeaderList.EMPTY);
        try (BlockCache cache = CacheFixture.in(folder.resolve("cache"));
                TestGateway gateway = builder(PROXY)
                        .cache(cache)
                        .tls(TestCertificate.serverContext())
                        .start();
                RawClient proxy = RawClient.overTls(gateway.port())) {
            for (int read = 0; read < 5; read++) {
                assertThat(proxy.send("GET /pub/near HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.9\r\n"
                                        + "X-Forwarded-Proto: http\r\n\r\n")
                                .bytes())
                        .isEqualTo(large);
            }
        }
    }

    @Test
    void theLimitOfAnAddressIsNotOneOfAProxy() throws Exception {
        try (TestGateway gateway = builder(PROXY).maxConnectionsPerAddress(1).start();
                RawClient first = gateway.connect();
                RawClient second = gateway.connect();
                RawClient third = gateway.connect()) {
            for (RawClient proxy : new RawClient[] {first, second, third}) {
                assertThat(status(proxy, "near", "X-Forwarded-For: 203.0.113.9"))
                        .isEqualTo(200);
            }
            assertThat(gateway.refused(RefusalReason.MAX_CONNECTIONS_PER_ADDRESS))
                    .isZero();
        }
    }

    private TestGateway start(String... declared) throws Exception {
        return builder(declared).start();
    }

    private TestGateway.Builder builder(String... declared) throws Exception {
        Path file = Files.writeString(folder.resolve("policy.json"), POLICY, UTF_8);
        return TestGateway.builder()
                .policy(BucketPolicy.read(file))
                .bucket("pub", backend)
                .trustedProxies(declared);
    }

    private static int status(RawClient client, String key, String... headers) throws Exception {
        String lines = Stream.of(headers).map(header -> header + "\r\n").collect(Collectors.joining());
        return client.send("GET /pub/%s HTTP/1.1\r\nHost: a\r\n%s\r\n".formatted(key, lines))
                .status();
    }
}
