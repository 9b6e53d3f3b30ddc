package io.millrace.gateway.s3.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.management.ThreadMXBean;
import io.millrace.backend.file.FileBackendProvider;
import io.millrace.backend.file.FileBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.read.RawResponse;
import io.millrace.gateway.s3.observe.OutcomeCategory;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import io.netty.util.ResourceLeakDetector;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests of one connection get the same responses on the fast path as on the general path, and in their order. */
@ExtendWith(BufferLeakExtension.class)
class FastPathTest {
    private static final Duration IDLE = Duration.ofSeconds(2);

    /** The longest wait for what usually happens within milliseconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Set<String> VARYING = Set.of("x-amz-request-id", "date", "age", "cache-status");
    private static final String BODY = "0123456789".repeat(400);

    /** A tenth more than what was measured. */
    private static final long MAX_ALLOCATED = 16_500;

    private static final Map<String, String> GENERAL = Map.of(RawResponse.GENERAL, "1");

    @TempDir
    Path folder;

    private final AtomicLong ahead = new AtomicLong();
    private final Instant begin = Instant.now();

    /** Stands still by itself: what takes long here is no older for that. */
    private final InstantSource clock = () -> begin.plusMillis(ahead.get());

    private Backend backend;
    private BlockCache cache;
    private TestGateway gateway;
    private SigningClient signer;
    private RawClient client;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder, "1GiB", clock);
        Files.createDirectories(folder.resolve("objects/data"));
        Files.createDirectories(folder.resolve("objects/public"));
        Files.writeString(folder.resolve("objects/public/page"), BODY);
        backend = new FileBackendProvider().create("file", new FileBackendSettings(folder.resolve("objects")));
        gateway = builder().start();
        signer = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
        client = new RawClient(gateway.port());
        assertThat(put("open/object", BODY).status()).isEqualTo(200);
        assertThat(put("empty", "").status()).isEqualTo(200);
        warm("open/object");
    }

    private TestGateway.Builder builder() {
        return TestGateway.builder()
                .cache(cache)
                .clock(clock)
                .freshness(BucketViews.freshness(
                        FreshnessSettings.Mode.TTL, Duration.ofMinutes(1), Duration.ZERO, Duration.ZERO))
                .bucket("data", backend)
                .bucket("public", backend, "", "read")
                .identity("reader", "READERKEY", "reader-secret", "read:data/open/*");
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        gateway.close();
        cache.close();
        backend.close().block();
    }

    @ParameterizedTest
    @CsvSource({
        "GET, open/object, ''",
        "GET, open/object?x-id=GetObject, ''",
        "HEAD, open/object, ''",
        "GET, open/object, bytes=0-0",
        "GET, open/object, bytes=100-199",
        "GET, open/object, bytes=-7",
        "GET, open/object, bytes=3990-",
        "HEAD, open/object, bytes=5-9",
        "GET, open/object, bytes=nonsense",
        "GET, empty, ''"
    })
    void bothPathsGiveTheSameResponse(String method, String target, String range) throws IOException {
        warm(target.replaceAll("\\?.*", ""));
        Map<String, String> headers = range.isEmpty() ? Map.of() : Map.of("range", range);
        Map<String, String> generalHeaders = new LinkedHashMap<>(headers);
        generalHeaders.putAll(GENERAL);

        Response fast = fast(signer.request(method, "/data/" + target, headers));
        RequestRecord fastRecord = lastRequest();
        Response general = send(method, target, generalHeaders);
        RequestRecord generalRecord = lastRequest();

        assertThat(fastRecord.fastPath()).isTrue();
        assertThat(generalRecord.fastPath()).isFalse();
        assertThat(fast.status()).isEqualTo(general.status());
        assertThat(withoutVarying(fast)).isEqualTo(withoutVarying(general));
        assertThat(fast.headers().get("cache-status")).startsWith("millrace; hit; ttl=");
        assertThat(fast.body()).isEqualTo(general.body());
        assertThat(comparable(fastRecord)).isEqualTo(comparable(generalRecord));
    }

    @ParameterizedTest
    @CsvSource({
        "GET, open/object, range, bytes=4000-",
        "GET, open/object, if-none-match, *",
        "GET, open/object, if-match, \"other\"",
        "GET, open/object, cache-control, no-cache",
        "GET, open/object, x-amz-expected-bucket-owner, 123456789012",
        "GET, open/object, origin, http://localhost",
        "GET, open/object, x-millrace-explain, 1",
        "GET, open/object, content-length, 5",
        "GET, open/object?versionId=null, x-amz-meta, 1",
        "GET, open/object?partNumber=1, accept, */*",
        "GET, open/absent, accept, */*",
        "GET, '', accept, */*"
    })
    void otherRequestsTakeTheGeneralPath(String method, String target, String name, String value) throws IOException {
        if (name.equals("content-length")) {
            client.send(signer.request(method, "/data/" + target, Map.of(name, value)) + "12345");
        } else {
            send(method, target, Map.of(name, value));
        }

        assertThat(lastRequest().fastPath()).isFalse();
    }

    /**
     * Whatever a request says beside its signature, it gets one answer: the fast path gives that of the general path or
     * none.
     */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            general | open/object                                 | x-millrace-hops | AAAAAAAAAAAAAAAAAAAAAA
            general | open/object                                 | x-millrace-hops | nonsense
            general | open/object                                 | x-millrace-explain | 1
            general | open/object                                 | origin | https://example.org
            general | open/object                                 | if-match | "other"
            general | open/object                                 | if-none-match | *
            general | open/object                                 | if-modified-since | Fri, 01 Jan 2100 00:00:00 GMT
            general | open/object                                 | if-unmodified-since | Thu, 01 Jan 1970 00:00:00 GMT
            general | open/object                                 | if-range | "other"
            general | open/object                                 | cache-control | no-store
            general | open/object                                 | te | trailers
            general | open/object                                 | upgrade | h2c
            general | open/object                                 | trailer | x-amz-checksum-crc32
            general | open/object                                 | connection | keep-alive, x-forwarded-for
            general | open/object                                 | x-amz-server-side-encryption-customer-algorithm | AES256
            general | open/object                                 | x-amz-server-side-encryption-customer-key | a2V5
            general | open/object                                 | x-amz-server-side-encryption | AES256
            general | open/object                                 | x-amz-expected-bucket-owner | 123456789012
            general | open/object                                 | x-amz-copy-source | /data/other
            general | open/object                                 | x-amz-meta-a | 1
            general | open/object                                 | x-amz-brand-new | 1
            general | open/object?x-amz-expected-bucket-owner=1   | accept | */*
            general | open/object?X-Amz-Server-Side-Encryption=A  | accept | */*
            general | open/object?x-amz-brand-new=1               | accept | */*
            general | open/object?versionId=null                  | accept | */*
            general | open/object?versionId=                      | accept | */*
            general | open/object?partNumber=1                    | accept | */*
            general | open/object?acl                             | accept | */*
            general | open/object?uploadId=a                      | accept | */*
            general | open/object?response-x=a                    | accept | */*
            general | open/object?Response-Content-Type=a         | accept | */*
            general | open/object?response-content-type=%0A       | accept | */*
            general | open/object?%78-id=GetObject                | accept | */*
            general | open/object?unknown=1                       | accept | */*
            fast    | open/object?response-content-type=text/html | accept | */*
            fast    | open/object?x-id=GetObject&x-ignored=1      | accept | */*
            fast    | open/object?x-amz-checksum-mode=ENABLED     | accept | */*
            fast    | open/object                                 | x-amz-checksum-mode | ENABLED
            fast    | open/object                                 | x-amz-rdma-token | token
            fast    | open/object                                 | x-amz-sdk-checksum-algorithm | CRC32
            fast    | open/object                                 | x-amz-checksum-crc32 | nonsense
            fast    | open/object                                 | x-amz-trailer | x-amz-checksum-crc32
            fast    | open/object                                 | x-amz-decoded-content-length | 5
            fast    | open/object                                 | x-amz-optional-object-attributes | RestoreStatus
            fast    | open/object                                 | x-forwarded-host | other.example
            fast    | open/object                                 | accept-encoding | gzip
            """)
    void noFieldGetsAnotherAnswerOnTheFastPath(String way, String target, String name, String value)
            throws IOException {
        boolean isFast = way.equals("fast");
        String request = signer.request("GET", "/data/" + target, Map.of(name, value));
        Response first = isFast ? fast(request) : client.send(request);
        assertThat(lastRequest().fastPath()).isEqualTo(isFast);
        Response general = send("GET", target, Map.of(name, value, RawResponse.GENERAL, "1"));

        assertThat(lastRequest().fastPath()).isFalse();
        assertThat(first.status()).isEqualTo(general.status());
        assertThat(withoutVarying(first)).isEqualTo(withoutVarying(general));
        assertThat(withoutRequestId(first)).isEqualTo(withoutRequestId(general));
    }

    @Test
    void headersWithoutMeaningStayFast() throws IOException {
        String request = signer.request("GET", "/data/open/object", Map.of());

        Response response = fast(request.replace(
                "\r\n\r\n",
                "\r\nX-Forwarded-For: 203.0.113.7\r\nVia: 1.1 a\r\nVia: 1.1 b\r\nCookie: a=b\r\nCookie: c=d\r\n"
                        + "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\ntracestate: a=b\r\n"
                        + "X-HTTP-Method-Override: DELETE\r\n\r\n"));

        assertThat(response.body()).isEqualTo(BODY);
    }

    @ParameterizedTest
    @CsvSource({
        "Cookie: a=b, Cookie: a=c",
        "Cookie: a=b, Cookie: a=b\\r\\nCookie: a=c",
        "Cookie: a=b, Via: 1.1 a",
        "'traceparent: 00-1', 'traceparent: 00-2'"
    })
    void signedHeaderWithoutMeaningIsVerified(String signed, String forged) throws IOException {
        int colon = signed.indexOf(':');
        String name = signed.substring(0, colon);
        String request = signer.request(
                "GET",
                "/data/open/object",
                Map.of(name, signed.substring(colon + 1).strip()));

        assertThat(fast(request).status()).isEqualTo(200);
        Response response = client.send(request.replace(signed, forged.replace("\\r\\n", "\r\n")));

        assertThat(response.status()).isEqualTo(403);
        assertThat(response.element("Code")).isEqualTo("SignatureDoesNotMatch");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, open/object",
        "HEAD, open/object",
        "GET, open/object?x-id=GetObject",
        "GET, open/object?response-content-disposition=attachment"
    })
    void presignedReadIsFast(String method, String target) throws IOException {
        Response presigned = fast(presigned(method, target));

        assertThat(presigned.status()).isEqualTo(200);
        assertThat(withoutVarying(presigned)).isEqualTo(withoutVarying(send(method, target, GENERAL)));
        assertThat(lastRequest().target()).isEqualTo("/data/open/object");
    }

    @Test
    void presignedReadIsVerified() throws IOException {
        String url = presigned("GET", "open/object?x-id=GetObject");
        put("other", BODY);
        warm("other");

        for (String forged : List.of(
                url.replaceAll("Signature=([0-9a-f]{63})([0-9a-f])", "Signature=$2$1"),
                url.replace("/open/object", "/other"),
                url.replace("GET ", "HEAD "),
                url.replace("x-id=GetObject", "x-id=HeadObject"),
                url.replace("x-id=", "x-ignored=1&x-id="),
                url.replace("x-id=", "response-content-type=text/html&x-id="),
                url.replace("Expires=300", "Expires=301"))) {
            Response response = client.send(forged);

            assertThat(response.status()).as(forged).isEqualTo(403);
            assertThat(lastRequest().fastPath()).isFalse();
        }
        for (String invalid : List.of(
                url.replace("X-Amz-Expires=300", "X-Amz-Expires=604801"),
                url.replace("X-Amz-Expires=300&", ""),
                url.replace("X-Amz-Expires=300", "X-Amz-Expires=300&x-amz-expires=300"),
                url.replace("x-id=", "AWSAccessKeyId=a&x-id="),
                url.replace("x-id=", "X-Amz-Security-Token=a&x-id="))) {
            assertThat(client.send(invalid).status()).as(invalid).isIn(400, 403);
            assertThat(lastRequest().fastPath()).isFalse();
        }
        assertThat(client.send(url).status()).isEqualTo(200);
    }

    @Test
    void expiredUrlIsRefused() throws IOException {
        String url = presigned("GET", "open/object");
        ahead.addAndGet(Duration.ofSeconds(290).toMillis());
        assertThat(client.send(url).status()).isEqualTo(200);
        ahead.addAndGet(Duration.ofSeconds(11).toMillis());
        warm("open/object");

        Response response = client.send(url);

        assertThat(response.status()).isEqualTo(403);
        assertThat(response.text()).contains("Request has expired");
    }

    @Test
    void unsignedReadOfAPublicBucketIsFast() throws IOException {
        String request = "GET /public/page HTTP/1.1\r\nHost: h\r\nCookie: a=b\r\n\r\n";
        await().atMost(PATIENCE).until(() -> {
            assertThat(client.send(request).body()).isEqualTo(BODY);
            return lastRequest().fastPath();
        });

        Response override = client.send(request.replace("/page", "/page?response-content-type=text/html"));

        assertThat(override.status()).isEqualTo(400);
    }

    @Test
    void repeatedHeaderTakesTheGeneralPath() throws IOException {
        String request = signer.request("GET", "/data/open/object", Map.of());

        Response response =
                client.send(request.replace("\r\n\r\n", "\r\nRange: bytes=0-1\r\nRange: bytes=2-3\r\n\r\n"));

        assertThat(lastRequest().fastPath()).isFalse();
        assertThat(response.status()).isIn(200, 206, 400);
    }

    @Test
    void overwrittenObjectIsNotServedFromMemory() throws IOException {
        for (int i = 0; i < 20; i++) {
            String content = "content " + i;
            assertThat(put("open/object", content).status()).isEqualTo(200);

            assertThat(send("GET", "open/object", Map.of()).body()).isEqualTo(content);
            assertThat(send("GET", "open/object", Map.of()).body()).isEqualTo(content);
        }
    }

    @Test
    void deletedObjectIsNotServedFromMemory() throws IOException {
        assertThat(send("DELETE", "open/object", Map.of()).status()).isEqualTo(204);

        assertThat(send("GET", "open/object", Map.of()).status()).isEqualTo(404);
    }

    @Test
    void invalidatedObjectIsRevalidated() throws IOException {
        cache.writeFence()
                .invalidate(new ObjectPrefix("backend-0", new BucketName("data"), "open/"))
                .block();

        Response response = send("GET", "open/object", Map.of());

        assertThat(lastRequest().fastPath()).isFalse();
        assertThat(response.headers().get("cache-status")).contains("fwd=miss");
        assertThat(response.body()).isEqualTo(BODY);
    }

    @Test
    void staleObjectIsRevalidated() throws IOException {
        ahead.addAndGet(Duration.ofSeconds(62).toMillis());

        Response response = send("GET", "open/object", Map.of());

        assertThat(lastRequest().fastPath()).isFalse();
        assertThat(response.headers().get("cache-status")).contains("fwd=stale");
    }

    @Test
    void expiredSignatureIsRefused() throws IOException {
        String request = signer.request("GET", "/data/open/object", Map.of());
        assertThat(fast(request).status()).isEqualTo(200);
        ahead.addAndGet(Duration.ofMinutes(16).toMillis());

        Response response = client.send(request);

        assertThat(response.status()).isEqualTo(403);
        assertThat(response.element("Code")).isEqualTo("RequestTimeTooSkewed");
    }

    @Test
    void eachRequestOfAConnectionIsVerifiedAndAuthorized() throws IOException {
        String good = signer.request("GET", "/data/open/object", Map.of());
        SigningClient reader = SigningClient.of(gateway, "READERKEY", "reader-secret");
        put("closed", BODY);
        warm("closed");

        assertThat(client.send(good).status()).isEqualTo(200);
        Response forged = client.send(good.replaceAll("Signature=([0-9a-f]{63})([0-9a-f])", "Signature=$2$1"));
        assertThat(forged.element("Code")).isEqualTo("SignatureDoesNotMatch");
        assertThat(client.send(reader.request("GET", "/data/open/object", Map.of()))
                        .status())
                .isEqualTo(200);
        assertThat(client.send(reader.request("GET", "/data/closed", Map.of())).status())
                .isEqualTo(403);
        assertThat(client.send("GET /data/open/object HTTP/1.1\r\nHost: h\r\n\r\n")
                        .status())
                .isEqualTo(403);
        assertThat(client.send(good).status()).isEqualTo(200);
        assertThat(gateway.requests().stream().filter(RequestRecord::fastPath).map(RequestRecord::status))
                .containsOnly(200);
    }

    @Test
    void pipelinedResponsesKeepTheOrderOfRequests() throws IOException {
        for (int i = 0; i < 8; i++) {
            put("key" + i, "content " + i);
            if (i % 3 != 1) {
                warm("key" + i);
            }
        }
        StringBuilder requests = new StringBuilder();
        for (int i = 0; i < 24; i++) {
            requests.append(signer.request("GET", "/data/key" + i % 8, i % 5 == 4 ? GENERAL : Map.of()));
        }

        Response response = client.send(requests.toString());
        for (int i = 0; i < 24; i++) {
            assertThat(response.body()).isEqualTo("content " + i % 8);
            response = i == 23 ? response : client.send("");
        }
    }

    /**
     * Fewer requests than the HTTP codec takes at once, which closes the connection of a client that sends more on the
     * general path.
     */
    @Test
    void clientThatDoesNotReadTakesLittleMemory() throws IOException {
        byte[] large = new byte[60_000];
        put("large", new String(large, StandardCharsets.ISO_8859_1));
        warm("large");
        String request = signer.request("GET", "/data/large", Map.of());
        client.socket().setReceiveBufferSize(256 << 10);
        Response first = client.send(request.repeat(120));

        assertThat(first.body()).hasSize(large.length);
        long atOnce = Polling.untilStill(
                Duration.ofMillis(500), () -> gateway.requests().size());
        for (int i = 1; i < 120; i++) {
            assertThat(client.send("").body()).hasSize(large.length);
        }
        assertThat(atOnce).isLessThan(100);
    }

    @Test
    void onlyAnIdleConnectionIsClosed() throws IOException {
        try (TestGateway impatient = builder().idle(IDLE).start()) {
            String request = signer.request("GET", "/data/open/object", Map.of());
            long last = System.nanoTime();
            RawClient used = impatient.connect();
            for (int i = 0; i < 6; i++) {
                long next = System.nanoTime();
                try {
                    assertThat(used.send(request).status()).isEqualTo(200);
                } catch (IOException closed) {
                    assertThat(Duration.ofNanos(System.nanoTime() - last))
                            .as("this thread has stood still for so long")
                            .isGreaterThanOrEqualTo(IDLE);
                    used.close();
                    used = impatient.connect();
                    i = -1;
                }
                last = next;
                await().pollDelay(IDLE.dividedBy(4)).until(() -> true);
            }
            assertThat(used.isClosedByServer()).isTrue();
            used.close();
        }
    }

    @Test
    void closeIsHonoured() throws IOException {
        Response response = send("GET", "open/object", Map.of("connection", "close"));

        assertThat(response.status()).isEqualTo(200);
        assertThat(client.isClosedByServer()).isTrue();
    }

    /** In bytes of the heap, as the interpreter and C1 allocate them: the bound does not depend on the machine. */
    @Test
    void hitAllocatesLittle() throws IOException {
        String request = signer.request("GET", "/data/open/object", Map.of());
        ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        try {
            send(request, 200);
            long before = allocatedByEventLoops();
            send(request, 500);
            long each = (allocatedByEventLoops() - before) / 500;

            assertThat(fast(request).status()).isEqualTo(200);
            assertThat(each).isBetween(1_000L, MAX_ALLOCATED);
        } finally {
            ResourceLeakDetector.setLevel(level);
        }
    }

    private void send(String request, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            assertThat(client.send(request).status()).isEqualTo(200);
        }
    }

    private static long allocatedByEventLoops() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(thread -> thread != null && thread.getThreadName().startsWith("millrace-s3"))
                .mapToLong(thread -> threads.getThreadAllocatedBytes(thread.getThreadId()))
                .sum();
    }

    private Response put(String key, String content) throws IOException {
        return client.send(signer.request(
                        "PUT",
                        "/data/" + key,
                        Map.of("content-length", "" + content.length(), "content-type", "text/x"))
                + content);
    }

    private String presigned(String method, String target) {
        URI url = gateway.signer()
                .presign(
                        URI.create("http://gateway.test/data/" + target),
                        method,
                        Duration.ofMinutes(5),
                        clock.instant());
        return method + " " + url.getRawPath() + "?" + url.getRawQuery() + " HTTP/1.1\r\nHost: gateway.test\r\n\r\n";
    }

    private Response send(String method, String target, Map<String, String> headers) throws IOException {
        return client.send(signer.request(method, "/data/" + target, headers));
    }

    /** Reads an object until its block is on the disk and its reads are on the fast path. */
    private void warm(String key) {
        await().atMost(PATIENCE).until(() -> {
            assertThat(send("GET", key, Map.of()).status()).isEqualTo(200);
            return lastRequest().fastPath();
        });
    }

    /** Returns the response of the fast path: a pause of the machine may send a request or two the other way. */
    private Response fast(String request) {
        Response[] response = new Response[1];
        await().atMost(PATIENCE).until(() -> {
            response[0] = client.send(request);
            return lastRequest().fastPath();
        });
        return response[0];
    }

    /** Returns the last request; the server records it after the client has its response. */
    private RequestRecord lastRequest() {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(1)).until(() -> gateway.inFlight() == 0);
        List<RequestRecord> all = gateway.requests();
        return all.get(all.size() - 1);
    }

    private static Map<String, String> withoutVarying(Response response) {
        Map<String, String> headers = new LinkedHashMap<>(response.headers());
        headers.keySet().removeAll(VARYING);
        return headers;
    }

    private static String withoutRequestId(Response response) {
        return response.body().replaceAll("<RequestId>.*</RequestId>", "");
    }

    /** Returns what meters and logs are told of a request but for its times. */
    private static List<Object> comparable(RequestRecord request) {
        assertThat(request.outcome()).isEqualTo(OutcomeCategory.OK);
        assertThat(request.totalNanos()).isPositive();
        return List.of(
                request.operation(),
                request.principal(),
                request.peer(),
                request.method(),
                request.target(),
                request.status(),
                request.firstByteNanos() >= 0,
                request.bytesIn(),
                request.bytesOut(),
                request.cache(),
                request.bucket());
    }
}
