package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.fault.BackendFault;
import io.millrace.backend.testkit.fault.FaultPlan;
import io.millrace.backend.testkit.fault.FaultPlan.Operation;
import io.millrace.backend.testkit.fault.FaultyBackend;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Sinks;

/**
 * A list that is served again must be one that may be: not older than its bucket's rules want, and never older than a
 * write.
 */
@ExtendWith(BufferLeakExtension.class)
class CachedListsTest {
    private static final Duration NONE = Duration.ZERO;

    private final InMemoryBackend objects = new InMemoryBackend(Set.of(
            Capability.WRITE,
            Capability.CONDITIONAL_WRITE,
            Capability.MULTIPART,
            Capability.COPY,
            Capability.CHECKSUMS));
    private final BlockedReads reads = new BlockedReads(objects);
    private final FaultyBackend backend = new FaultyBackend(reads.backend(), FaultPlan.none());
    private final AtomicLong ahead = new AtomicLong();
    private final Instant begin = Instant.now();

    /** Stands still by itself: what takes long here is no older for that. */
    private final InstantSource clock = () -> begin.plusMillis(ahead.get());

    private TestGateway gateway;

    @BeforeEach
    void start() {
        for (String bucket : List.of("lists", "lenient", "plain")) {
            objects.createBucket(new BucketName(bucket));
        }
        gateway = TestGateway.builder()
                .clock(clock)
                .identity("other", "OTHER01", "other-secret", "read:*", "list:lists/mine/*")
                .freshness(rule(Duration.ofSeconds(60), NONE, NONE))
                .bucket("lists", backend)
                .alias("alias", "lists", "")
                .alias("below", "lists", "a/")
                .freshness(rule(Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofMinutes(10)))
                .bucket("lenient", backend)
                .freshness(rule(NONE, NONE, NONE))
                .bucket("plain", backend)
                .freshness(rule(Duration.ofHours(1), NONE, NONE))
                .bucket("made-*", backend)
                .start();
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    @Promise("L1")
    @Test
    void aPageIsRequestedOnceInItsTime() throws IOException {
        store("lists", "a/1");
        assertThat(status(list("lists", ""))).isEqualTo("millrace; fwd=miss; stored");
        store("lists", "a/2");

        Response again = list("lists", "");
        assertThat(keys(again)).containsExactly("a/1");
        assertThat(status(again)).matches("millrace; hit; ttl=[45]\\d");
        assertThat(again.headers()).doesNotContainKey("age");
        assertThat(lists()).isEqualTo(1);
        ahead.set(60_000);

        assertThat(keys(list("lists", ""))).containsExactly("a/1", "a/2");
        assertThat(lists()).isEqualTo(2);
    }

    @Promise("L1")
    @Test
    void withoutATimeOfTheirOwnListsPassThrough() throws IOException {
        for (int i = 0; i < 3; i++) {
            store("plain", "key-" + i);
            Response list = list("plain", "");
            assertThat(keys(list)).hasSize(i + 1);
            assertThat(status(list)).isEqualTo("millrace; fwd=bypass");
        }
    }

    @Promise("L2")
    @Test
    void everyParameterDistinguishesCachedPages() throws IOException {
        for (int i = 0; i < 5; i++) {
            store("lists", "a/" + i);
            store("lists", "a/b/" + i);
        }
        List<String> queries = List.of(
                "list-type=2",
                "list-type=2&prefix=a%2F",
                "list-type=2&delimiter=%2F",
                "list-type=2&prefix=a%2F&delimiter=%2F",
                "list-type=2&max-keys=3",
                "list-type=2&max-keys=4",
                "list-type=2&start-after=a%2F3",
                "list-type=2&start-after=a%2F2",
                "list-type=2&fetch-owner=true",
                "marker=a%2F2",
                "marker=a%2F3",
                "");
        List<String> cold = new ArrayList<>();
        for (String query : queries) {
            Response response = ask("lists", query);
            assertThat(status(response)).as(query).startsWith("millrace; fwd=miss");
            cold.add(response.text());
        }
        String token = URLEncoder.encode(
                ask("lists", "list-type=2&max-keys=3").element("NextContinuationToken"), StandardCharsets.UTF_8);
        Response next = ask("lists", "list-type=2&max-keys=3&continuation-token=" + token);
        assertThat(status(next)).startsWith("millrace; fwd=miss");

        for (int i = 0; i < queries.size(); i++) {
            Response warm = ask("lists", queries.get(i));
            assertThat(warm.text()).isEqualTo(cold.get(i));
            assertThat(status(warm)).as(queries.get(i)).startsWith("millrace; hit");
        }
        assertThat(ask("lists", "list-type=2&max-keys=3&continuation-token=" + token)
                        .text())
                .isEqualTo(next.text());
    }

    @Promise("L3")
    @Test
    void everyKindOfWriteIsSeenUnderEachName() throws IOException {
        assertSeen("a/1", () -> assertThat(send(put("lists", "a/1")).status()).isEqualTo(200));
        assertSeen("a/2", () -> assertThat(send(put("below", "2")).status()).isEqualTo(200));
        assertSeen(
                "a/3",
                () -> assertThat(send(SignedWriteRequest.of("PUT", "/alias/a/3").with("x-amz-copy-source: /lists/a/1"))
                                .status())
                        .isEqualTo(200));
        assertSeen("a/4", () -> {
            String id =
                    send(SignedWriteRequest.of("POST", "/lists/a/4?uploads")).element("UploadId");
            Response part = send(SignedWriteRequest.put(
                    "/lists/a/4?partNumber=1&uploadId=" + id, "x".getBytes(StandardCharsets.UTF_8)));
            assertThat(send(SignedWriteRequest.of("POST", "/lists/a/4?uploadId=" + id)
                                    .body("<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                                            + part.headers().get("etag")
                                            + "</ETag></Part></CompleteMultipartUpload>"))
                            .status())
                    .isEqualTo(200);
        });
        assertSeen(
                "a/5",
                () -> send(PostForm.of("lists", "a/5", "x".getBytes(StandardCharsets.UTF_8))
                        .ask()));
        assertGone("a/1", () -> send(SignedWriteRequest.of("DELETE", "/below/1")));
        assertGone(
                "a/2",
                () -> send(SignedWriteRequest.of("POST", "/alias?delete")
                        .body("<Delete><Object><Key>a/2</Key></Object></Delete>")));
    }

    @Promise("L3")
    @Test
    void aWriteLeavesListsBesideItAlone() throws IOException {
        store("lists", "a/b/1");
        store("lists", "c/1");
        for (String prefix : List.of("a/b/", "a/", "c/", "")) {
            list("lists", prefix);
        }

        send(put("lists", "a/2"));

        assertThat(status(list("lists", "c/"))).startsWith("millrace; hit");
        assertThat(status(list("lists", "a/b/"))).startsWith("millrace; hit");
        assertThat(status(list("lists", "a/"))).startsWith("millrace; fwd=miss");
        assertThat(status(list("lists", ""))).startsWith("millrace; fwd=miss");
    }

    @Promise("L1")
    @Test
    void concurrentListsCostOneRequest() throws Exception {
        store("lists", "a/1");
        Sinks.Empty<Void> release = Sinks.empty();
        reads.holdNext(release.asMono());
        List<CompletableFuture<Response>> requested = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            requested.add(async(() -> list("lists", "")));
        }
        Polling.until("all have come", () -> gateway.inFlight() == 20);
        release.tryEmitEmpty();

        List<String> reported = new ArrayList<>();
        for (CompletableFuture<Response> one : requested) {
            reported.add(status(one.get(60, TimeUnit.SECONDS)));
        }
        assertThat(reported).containsOnlyOnce("millrace; fwd=miss; stored").hasSize(20);
        assertThat(lists()).isEqualTo(1);
    }

    @Promise("L3")
    @Test
    void listOvertakenByAWriteIsNotCached() throws Exception {
        Sinks.Empty<Void> release = Sinks.empty();
        reads.holdNext(release.asMono());
        CompletableFuture<Response> reader = async(() -> list("lists", "a/"));
        Polling.until("the answer is on its way", () -> reads.held() == 1);

        send(put("lists", "a/1"));
        assertThat(keys(list("lists", "a/"))).containsExactly("a/1");
        release.tryEmitEmpty();

        assertThat(keys(reader.get(60, TimeUnit.SECONDS))).isEmpty();
        assertThat(keys(list("lists", "a/"))).containsExactly("a/1");
    }

    @Promise("L3")
    @Test
    void listIsNotCachedAfterAnUnacknowledgedWrite() throws IOException {
        list("lists", "a/");
        backend.plan(FaultPlan.script(new BackendFault.FailedCall(FailureKind.UNAVAILABLE))
                .only(Operation.PUT));
        assertThat(send(put("lists", "a/1")).status()).isEqualTo(503);
        assertThat(keys(list("lists", "a/"))).isEmpty();

        store("lists", "a/1");

        assertThat(keys(list("lists", "a/"))).containsExactly("a/1");
        assertThat(status(list("lists", "a/"))).isEqualTo("millrace; fwd=miss");
    }

    @Promise("L4")
    @Test
    void honoursCacheControlOfListRequests() throws IOException {
        assertThat(list("lists", "", "Cache-Control: only-if-cached").status()).isEqualTo(504);
        assertThat(list("plain", "", "Cache-Control: only-if-cached").status()).isEqualTo(504);
        assertThat(lists()).isZero();
        list("lists", "");
        store("lists", "a/1");
        assertThat(keys(list("lists", "", "Cache-Control: only-if-cached"))).isEmpty();
        assertThat(keys(list("lists", "", "Cache-Control: no-store"))).containsExactly("a/1");
        assertThat(keys(list("lists", ""))).isEmpty();
        assertThat(keys(list("lists", "", "Cache-Control: no-cache"))).containsExactly("a/1");
        assertThat(keys(list("lists", ""))).containsExactly("a/1");
        store("lists", "a/2");
        ahead.set(20_000);
        assertThat(keys(list("lists", "", "Cache-Control: max-age=30"))).containsExactly("a/1");
        assertThat(keys(list("lists", "", "Cache-Control: max-age=10"))).containsExactly("a/1", "a/2");
    }

    @Promise("L4")
    @Test
    void servesStaleListsWithTheirAge() throws IOException {
        list("lenient", "");
        store("lenient", "a/1");
        ahead.set(70_000);
        Response old = list("lenient", "");
        assertThat(keys(old)).isEmpty();
        assertThat(old.headers().get("age")).isEqualTo("70");
        assertThat(status(old)).startsWith("millrace; hit; ttl=-");
        Polling.until("it was asked for behind that", () -> isListed("lenient", "a/1"));

        backend.plan(FaultPlan.always(new BackendFault.FailedCall(FailureKind.UNAVAILABLE)));
        ahead.set(70_000 + 300_000);
        old = list("lenient", "");
        assertThat(keys(old)).containsExactly("a/1");
        assertThat(Integer.parseInt(old.headers().get("age"))).isBetween(300, 310);
        assertThat(list("lenient", "", "Cache-Control: max-age=1000").status()).isEqualTo(503);
        ahead.set(70_000 + 661_000);
        assertThat(list("lenient", "").status()).isEqualTo(503);
    }

    @Promise("L4")
    @Test
    void staleListIsServedWhileTheBackendHangs() throws IOException {
        store("lenient", "a/1");
        list("lenient", "");
        Sinks.Empty<Void> release = Sinks.empty();
        reads.holdNext(release.asMono());
        store("lenient", "a/2");
        ahead.set(120_000);

        Response old = list("lenient", "");

        assertThat(keys(old)).containsExactly("a/1");
        assertThat(old.headers().get("age")).isEqualTo("120");
        release.tryEmitEmpty();
        Polling.until("it was asked for behind that", () -> isListed("lenient", "a/2"));
    }

    @Promise("L4")
    @Test
    void backgroundRefreshesOfListsDoNotOverloadTheBackend() throws IOException {
        int lists = 100;
        for (int i = 0; i < lists; i++) {
            list("lenient", "p" + i + "/");
        }
        Sinks.Empty<Void> release = Sinks.empty();
        for (int i = 0; i < lists; i++) {
            reads.holdNext(release.asMono());
        }
        ahead.set(70_000);

        for (int i = 0; i < lists; i++) {
            assertThat(list("lenient", "p" + i + "/").headers()).containsKey("age");
        }

        Polling.until("as many as may be are asked for", () -> reads.held() >= 64);
        assertThat(reads.held()).isEqualTo(64);
        release.tryEmitEmpty();
    }

    @Promise("L2")
    @Test
    void doesNotCachePagesWithLongParameters() throws IOException {
        String most = "x".repeat(1024);
        for (String query : List.of("list-type=2&delimiter=", "list-type=2&start-after=", "marker=")) {
            assertThat(status(ask("lists", query + most))).as(query).isEqualTo("millrace; fwd=miss; stored");
            assertThat(status(ask("lists", query + most + "x"))).as(query).isEqualTo("millrace; fwd=bypass");
        }
    }

    @Promise("L2")
    @Test
    void cachedPageIsRefusedWithoutTheRight() throws IOException {
        list("lists", "");

        assertThat(send(SignedWriteRequest.get("/lists?list-type=2").by("OTHER01", "other-secret"))
                        .status())
                .isEqualTo(403);
        assertThat(send(SignedWriteRequest.get("/lists?list-type=2&prefix=mine%2F")
                                .by("OTHER01", "other-secret"))
                        .status())
                .isEqualTo(200);
    }

    @Promise("L3")
    @Test
    void listsOfABucketEndWithIt() throws IOException {
        assertThat(list("made-1", "").status()).isEqualTo(404);
        send(SignedWriteRequest.of("PUT", "/made-1"));
        assertThat(list("made-1", "x/").status()).isEqualTo(200);
        assertThat(status(list("made-1", "x/"))).startsWith("millrace; hit");

        assertThat(send(SignedWriteRequest.of("DELETE", "/made-1")).status()).isEqualTo(204);

        assertThat(list("made-1", "x/").status()).isEqualTo(404);
    }

    @Promise("L3")
    @ParameterizedTest
    @ValueSource(strings = {"lists", "alias", "below"})
    void listsShowAllAcknowledgedWrites(String name) throws Exception {
        backend.plan(FaultPlan.seeded(
                7,
                0.3,
                List.of(
                        new BackendFault.DelayedHead(Duration.ofMillis(2)),
                        new BackendFault.DelayedHead(Duration.ofMillis(7)))));
        int writes = 60;
        AtomicInteger acknowledged = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        CompletableFuture<?>[] workers = new CompletableFuture<?>[4];
        workers[0] = CompletableFuture.runAsync(
                () -> {
                    for (int i = 1; i <= writes; i++) {
                        assertThat(sent(put("lists", "a/%03d".formatted(i))).status())
                                .isEqualTo(200);
                        acknowledged.set(i);
                    }
                },
                threads);
        for (int reader = 1; reader < 4; reader++) {
            workers[reader] = CompletableFuture.runAsync(
                    () -> {
                        while (acknowledged.get() < writes) {
                            int before = acknowledged.get();
                            assertThat(keys(sent(SignedWriteRequest.get("/" + name + "?list-type=2"))))
                                    .hasSizeGreaterThanOrEqualTo(before);
                        }
                    },
                    threads);
        }
        CompletableFuture.allOf(workers).get(60, TimeUnit.SECONDS);
        threads.shutdown();
    }

    private interface Action<T> {
        T take() throws IOException;
    }

    private interface Write {
        void take() throws IOException;
    }

    private void assertSeen(String key, Write write) throws IOException {
        list("lists", "a/");
        list("alias", "");
        list("below", "");
        write.take();
        assertThat(keys(list("lists", "a/"))).contains(key);
        assertThat(keys(list("alias", ""))).contains(key);
        assertThat(keys(list("below", ""))).contains(key.substring(2));
    }

    private void assertGone(String key, Write write) throws IOException {
        assertThat(keys(list("below", ""))).contains(key.substring(2));
        write.take();
        assertThat(keys(list("lists", "a/"))).doesNotContain(key);
        assertThat(keys(list("below", ""))).doesNotContain(key.substring(2));
    }

    private boolean isListed(String bucket, String key) {
        try {
            return keys(list(bucket, "")).contains(key);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Response list(String bucket, String prefix, String... fields) throws IOException {
        return ask(bucket, "list-type=2" + (prefix.isEmpty() ? "" : "&prefix=" + prefix.replace("/", "%2F")), fields);
    }

    private Response ask(String bucket, String query, String... fields) throws IOException {
        return send(SignedWriteRequest.get("/" + bucket + (query.isEmpty() ? "" : "?" + query))
                .with(fields));
    }

    private static List<String> keys(Response response) {
        assertThat(response.status()).as("%.300s", response.text()).isEqualTo(200);
        List<String> keys = new ArrayList<>();
        for (String piece : response.text().split("<Key>", -1)) {
            if (piece.contains("</Key>")) {
                keys.add(piece.substring(0, piece.indexOf("</Key>")));
            }
        }
        return keys;
    }

    private static String status(Response response) {
        return String.valueOf(response.headers().get("cache-status"));
    }

    private long lists() {
        return backend.calls(Operation.LIST);
    }

    private static SignedWriteRequest put(String bucket, String key) {
        return SignedWriteRequest.put("/" + bucket + "/" + key, key.getBytes(StandardCharsets.UTF_8));
    }

    /** Behind the gateway's back. */
    private void store(String bucket, String key) {
        objects.store(
                new ObjectRef(new BucketName(bucket), new ObjectKey(key)),
                key.getBytes(StandardCharsets.UTF_8),
                HeaderList.EMPTY);
    }

    private Response send(SignedWriteRequest ask) throws IOException {
        return ask.send(gateway.port());
    }

    private Response sent(SignedWriteRequest ask) {
        try {
            return send(ask);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static <T> CompletableFuture<T> async(Action<T> action) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return action.take();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                },
                task -> new Thread(task).start());
    }

    private static FreshnessSettings rule(Duration list, Duration behind, Duration error) {
        return new FreshnessSettings(Mode.TTL, Duration.ofHours(1), Duration.ofSeconds(5), list, behind, error);
    }
}
