package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.WebUrl;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.ReservedPort;
import io.millrace.backend.testkit.server.PlannedResponse;
import io.millrace.backend.testkit.server.RecordedRequest;
import io.millrace.backend.testkit.server.RecordingServer;
import io.millrace.backend.testkit.server.ScriptedServer;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.config.DataSize;
import io.millrace.gateway.objects.derived.TransformSettings;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a service makes of the objects of one bucket are the objects of another one, read with all that S3 has. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class TransformBucketTest {
    private static final String KEY = "train/0001 a.jpg";
    private static final int MIB = 1 << 20;

    /** Not a multiple of anything, and of two blocks at least. */
    private static final byte[] PICTURE = bytes(2 * MIB + 4711);

    @TempDir
    Path folder;

    private final RecordingServer service = new RecordingServer(TransformBucketTest::reversed);
    private OriginFixture origin;
    private BlockCache cache;
    private TestGateway gateway;
    private SigningClient client;

    @BeforeEach
    void start() throws Exception {
        origin = FolderOriginFixture.at(Files.createDirectory(folder.resolve("objects")));
        origin.createBucket("images");
        cache = CacheFixture.in(folder);
        serve(settings(service.uri()));
        store(KEY, PICTURE);
    }

    @AfterEach
    void stop() throws IOException {
        gateway.close();
        service.close();
        cache.close();
        origin.close();
    }

    private static byte[] bytes(int size) {
        byte[] bytes = new byte[size];
        for (int i = 0; i < size; i++) {
            bytes[i] = (byte) (i * 31 + i / 251);
        }
        return bytes;
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] turned = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            turned[i] = bytes[bytes.length - 1 - i];
        }
        return turned;
    }

    private static PlannedResponse reversed(RecordedRequest request) {
        return PlannedResponse.of(200, reversed(request.body()), "Content-Type", "image/png");
    }

    private static TransformSettings settings(URI url) {
        return settings(url, TransformSettings.Method.PUT, "w=224 &x", "1", Duration.ofSeconds(30), "16MiB");
    }

    private static TransformSettings settings(
            URI url, TransformSettings.Method method, String args, String version, Duration timeout, String maxSize) {
        return new TransformSettings(
                WebUrl.parse(url.toString()),
                method,
                args,
                version,
                timeout,
                4,
                DataSize.parse(maxSize),
                BackendTlsSettings.DEFAULTS);
    }

    private TestGateway.Builder builder(TransformSettings transform) {
        return TestGateway.builder()
                .bucket("images", origin.backend())
                .transformed("thumbs", "images", "", transform)
                .transformed("train", "images", "train/", transform)
                .identity("reader", "READERKEY", "reader-secret", "read,list:thumbs");
    }

    private void serve(TransformSettings transform) {
        gateway = builder(transform).cache(cache).start();
        client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
    }

    private void restart(TransformSettings transform) {
        gateway.close();
        serve(transform);
    }

    private void store(String key, byte[] bytes) throws IOException {
        origin.put("images", key, bytes, HeaderList.EMPTY);
    }

    private Response get(String bucket, String key) throws IOException {
        return client.get(RawResponse.path(bucket, key));
    }

    private Response thumb() throws IOException {
        return get("thumbs", KEY);
    }

    private Response thumb(String header, String value) throws IOException {
        return client.ask("GET", RawResponse.path("thumbs", KEY), Map.of(header, value));
    }

    private static void assertIsPicture(Response response) {
        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.bytes()).isEqualTo(reversed(PICTURE));
    }

    private static String tag(Response response) {
        return Objects.requireNonNull(response.headers().get("etag"));
    }

    private static boolean isHit(Response response) {
        return response.headers().getOrDefault("cache-status", "").startsWith("millrace; hit");
    }

    /** The metadata of all results that are cached. */
    private List<ObjectMetadata> cached() {
        return Objects.requireNonNull(cache.inventory()
                .scan(new ObjectPrefix("derived:thumbs", new BucketName("thumbs"), ""), Optional.empty())
                .collectList()
                .block());
    }

    @Test
    @Promise("D5")
    void coldReadersShareOneCall() throws Exception {
        CountDownLatch allAreHere = new CountDownLatch(1);
        service.respond(request -> {
            await(allAreHere);
            return reversed(request);
        });
        ExecutorService readers = Executors.newFixedThreadPool(20);
        try {
            Callable<Response> read = this::thumb;
            List<Future<Response>> responses = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                responses.add(readers.submit(read));
            }
            Polling.until("all readers wait", () -> gateway.inFlight() == 20);
            allAreHere.countDown();

            for (Future<Response> response : responses) {
                assertIsPicture(response.get());
            }
        } finally {
            readers.shutdownNow();
        }
        assertThat(service.requests()).hasSize(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void serviceGetsTheBytesAndNothingOfTheClient() throws IOException {
        assertIsPicture(thumb("x-amz-checksum-mode", "ENABLED"));

        RecordedRequest call = service.requests().get(0);
        assertThat(call.method()).isEqualTo("PUT");
        assertThat(call.path()).isEqualTo("/images/train/0001%20a.jpg");
        assertThat(RecordedRequest.fields(call.query())).isEqualTo(Map.of("etl_args", "w=224 &x"));
        assertThat(call.body()).isEqualTo(PICTURE);
        assertThat(call.headers().keySet())
                .isSubsetOf("host", "user-agent", "content-type", "content-length", "accept-encoding");
    }

    /** Who may write objects must not choose the path of the service that gets their bytes. */
    @ParameterizedTest
    @CsvSource({"a/../../admin", "../admin", "a/.."})
    void keyThatLeadsToAnotherPathIsNotSent(String key) throws IOException {
        store(key, PICTURE);

        Response response = get("thumbs", key);

        assertThat(response.status()).isEqualTo(422);
        assertThat(response.element("Message")).contains("segment");
        assertThat(service.requests()).isEmpty();
    }

    @Test
    void postGoesToTheUrlAsItIs() throws IOException {
        restart(settings(
                service.uri().resolve("/shrink?q=1"),
                TransformSettings.Method.POST,
                "",
                "1",
                Duration.ofSeconds(30),
                "16MiB"));

        assertIsPicture(thumb());

        assertThat(service.requests()).hasToString("[POST /shrink?q=1]");
    }

    @Test
    void warmReadsMakeNoCall() throws IOException {
        Response cold = thumb();
        Response warm = thumb();

        assertIsPicture(cold);
        assertIsPicture(warm);
        assertThat(warm.headers()).containsEntry("etag", tag(cold)).containsEntry("content-type", "image/png");
        Polling.until("it is stored", () -> isHit(thumb()));
        restart(settings(service.uri()));
        assertIsPicture(thumb());
        assertThat(service.requests()).hasSize(1);
    }

    @Test
    void smallResultsAreHits() throws IOException {
        store("small", new byte[] {1, 2, 3});

        assertThat(get("thumbs", "small").bytes()).containsExactly(3, 2, 1);
        assertThat(get("thumbs", "small").bytes()).containsExactly(3, 2, 1);
        Polling.until("it is stored", () -> isHit(get("thumbs", "small")));
        assertThat(service.requests()).hasSize(1);
    }

    @Test
    @Promise("D6")
    void raisedVersionAndOtherArgumentsMakeNewResults() throws IOException {
        String first = tag(thumb());

        restart(settings(
                service.uri(), TransformSettings.Method.PUT, "w=224 &x", "2", Duration.ofSeconds(30), "16MiB"));
        String second = tag(thumb());
        restart(settings(service.uri(), TransformSettings.Method.PUT, "w=448", "2", Duration.ofSeconds(30), "16MiB"));
        String third = tag(thumb());

        assertThat(List.of(first, second, third)).doesNotHaveDuplicates();
        assertThat(service.requests()).hasSize(3);
    }

    /** It is that of the object, which stays when the version is raised. */
    @Test
    @Promise("D6")
    void dateDoesNotVouchForAResult() throws IOException {
        Response before = thumb();
        String date = Objects.requireNonNull(before.headers().get("last-modified"));
        restart(settings(
                service.uri(), TransformSettings.Method.PUT, "w=224 &x", "2", Duration.ofSeconds(30), "16MiB"));
        byte[] other = bytes(PICTURE.length);
        service.respond(request -> PlannedResponse.of(200, other));

        Response after = thumb("if-modified-since", date);
        Response rest =
                client.ask("GET", RawResponse.path("thumbs", KEY), Map.of("range", "bytes=7-", "if-range", date));

        assertThat(after.status()).isEqualTo(200);
        assertThat(after.bytes()).isEqualTo(other);
        assertThat(after.headers()).containsEntry("last-modified", date);
        assertThat(rest.status())
                .as("bytes of one result do not go on with those of another")
                .isEqualTo(200);
        assertThat(rest.bytes()).isEqualTo(other);
        assertThat(thumb("if-none-match", tag(after)).status()).isEqualTo(304);
    }

    @Test
    @Promise("D6")
    void overwrittenObjectIsSeenInItsResult() throws IOException {
        assertIsPicture(thumb());
        String before = tag(thumb());
        put("images", KEY, "new");

        Response after = thumb();

        assertThat(after.text()).isEqualTo("wen");
        assertThat(tag(after)).isNotEqualTo(before);
        assertThat(service.requests()).hasSize(2);
    }

    @Test
    @Promise("D6")
    void objectThatIsOverwrittenUnderACallIsSeenByTheNextRead() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        service.respond(request -> {
            called.countDown();
            await(over);
            return reversed(request);
        });
        ExecutorService reader = Executors.newSingleThreadExecutor();
        try {
            Callable<Response> read = this::thumb;
            Future<Response> before = reader.submit(read);
            await(called);
            put("images", KEY, "new");
            service.respond(TransformBucketTest::reversed);

            assertThat(thumb().text())
                    .as("it does not join the call for the old one")
                    .isEqualTo("wen");
            over.countDown();
            assertIsPicture(before.get());
        } finally {
            over.countDown();
            reader.shutdownNow();
        }
        assertThat(thumb().text()).isEqualTo("wen");
        assertThat(service.requests()).hasSize(2);
    }

    private String put(String bucket, String key, String content) throws IOException {
        String put = client.request(
                "PUT", RawResponse.path(bucket, key), Map.of("content-length", String.valueOf(content.length())));
        try (var connection = gateway.connect()) {
            Response stored = connection.send(put + content);
            assertThat(stored.status()).as(stored.text()).isEqualTo(200);
            return tag(stored);
        }
    }

    @Test
    void equalObjectOfAnotherSourceIsAnotherObject() throws IOException {
        origin.createBucket("others");
        gateway.close();
        gateway = builder(settings(service.uri()))
                .bucket("others", origin.backend())
                .cache(cache)
                .start();
        client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
        assertThat(put("others", "same", "abc")).isEqualTo(put("images", "same", "abc"));
        assertThat(get("thumbs", "same").text()).isEqualTo("cba");

        gateway.close();
        gateway = TestGateway.builder()
                .bucket("others", origin.backend())
                .transformed("thumbs", "others", "", settings(service.uri()))
                .cache(cache)
                .start();
        client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);

        assertThat(get("thumbs", "same").text()).isEqualTo("cba");
        assertThat(service.requests())
                .extracting(RecordedRequest::path)
                .containsExactly("/images/same", "/others/same");
    }

    @Test
    void resultFollowsAnObjectThatIsReplaced() throws IOException {
        assertThat(client.head(RawResponse.path("images", KEY)).status()).isEqualTo(200);

        store(KEY, new byte[] {1, 2, 3});

        assertThat(thumb().bytes()).containsExactly(3, 2, 1);
    }

    /** More than there are calls at a time: one that kept its turn would let the last one wait forever. */
    @Test
    void readsThatUseNoResultGiveTheirTurnBack() throws IOException {
        Map<String, String> other = Map.of("if-match", "\"other\"");
        for (int i = 0; i < 6; i++) {
            store("empty" + i, new byte[0]);
            store("head" + i, PICTURE);
            store("condition" + i, PICTURE);
            store("range" + i, PICTURE);

            assertThat(get("thumbs", "empty" + i).status()).isEqualTo(200);
            assertThat(client.head(RawResponse.path("thumbs", "head" + i)).status())
                    .isEqualTo(200);
            assertThat(client.ask("GET", RawResponse.path("thumbs", "condition" + i), other)
                            .status())
                    .isEqualTo(412);
            assertThat(client.ask("GET", RawResponse.path("thumbs", "range" + i), Map.of("range", "bytes=99999999-"))
                            .status())
                    .isEqualTo(416);
        }
        service.respond(request -> PlannedResponse.text(415, "no picture"));
        for (int i = 0; i < 6; i++) {
            assertThat(thumb().status()).isEqualTo(422);
        }
        service.respond(TransformBucketTest::reversed);

        assertIsPicture(thumb());
    }

    @Test
    void headRangesAndConditionsAreThoseOfTheResult() throws IOException {
        byte[] all = reversed(PICTURE);
        Response head = client.head(RawResponse.path("thumbs", KEY));
        String tag = tag(head);

        assertThat(head.status()).isEqualTo(200);
        assertThat(head.headers()).containsEntry("content-length", String.valueOf(all.length));
        assertThat(thumb("range", "bytes=1-3").bytes()).isEqualTo(Arrays.copyOfRange(all, 1, 4));
        assertThat(thumb("range", "bytes=-70000").bytes())
                .isEqualTo(Arrays.copyOfRange(all, all.length - 70000, all.length));
        assertThat(thumb("range", "bytes=1048570-1048590").bytes())
                .isEqualTo(Arrays.copyOfRange(all, 1048570, 1048591));
        assertThat(thumb("range", "bytes=99999999-").status()).isEqualTo(416);
        assertThat(thumb("if-none-match", tag).status()).isEqualTo(304);
        assertThat(thumb("if-match", "\"other\"").status()).isEqualTo(412);
        assertIsPicture(thumb("if-match", tag));
        assertThat(service.requests()).hasSize(1);
    }

    @Test
    void emptyObjectsAndResultsAreRead() throws IOException {
        store("empty", new byte[0]);

        assertThat(get("thumbs", "empty").status()).isEqualTo(200);
        assertThat(get("thumbs", "empty").body()).isEmpty();
        assertThat(service.requests()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "image/jpeg, image/jpeg",
        "'image/png; charset=x', image/png",
        "text/html, binary/octet-stream",
        "image/svg+xml, binary/octet-stream",
        "application/javascript, binary/octet-stream",
        "video/mp4, video/mp4"
    })
    void outputIsNoPageOfThisHost(String sent, String shown) throws IOException {
        service.respond(request -> PlannedResponse.of(200, request.body(), "Content-Type", sent, "Set-Cookie", "a=b"));

        Response response = thumb();

        assertThat(response.headers()).containsEntry("content-type", shown).doesNotContainKey("set-cookie");
    }

    @ParameterizedTest
    @CsvSource({
        "302, 422, TransformFailed, which is not followed",
        "204, 422, TransformFailed, responds with 204",
        "404, 422, TransformFailed, no such route",
        "415, 422, TransformFailed, no such route",
        "500, 503, ServiceUnavailable, ''",
        "502, 503, ServiceUnavailable, ''",
        "503, 503, SlowDown, ''"
    })
    void responseWithoutAResultIsTheErrorOfTheObject(int sent, int status, String code, String words)
            throws IOException {
        service.respond(request -> sent == 302
                ? PlannedResponse.of(302, "Location", service.uri() + "/elsewhere")
                : PlannedResponse.text(sent, "no such route"));

        Response response = thumb();

        assertThat(response.status()).isEqualTo(status);
        assertThat(response.element("Code")).isEqualTo(code);
        assertThat(response.element("Message")).contains(words);
        assertThat(service.requests()).noneMatch(request -> request.path().equals("/elsewhere"));
        assertThat(get("images", KEY).bytes()).isEqualTo(PICTURE);
        service.respond(TransformBucketTest::reversed);
        assertIsPicture(thumb());
    }

    @Test
    @Promise("D5")
    void resultThatBreaksOffIsNone() throws IOException {
        service.respond(request -> reversed(request).cutTo(MIB + 5));

        assertThat(thumb().status()).isEqualTo(503);
        assertThat(cached()).isEmpty();
        service.respond(TransformBucketTest::reversed);
        assertIsPicture(thumb());
    }

    @Test
    void callThatBreaksOffIsSentAgain() throws IOException {
        AtomicInteger calls = new AtomicInteger();
        service.respond(
                request -> calls.getAndIncrement() == 0 ? reversed(request).cutTo(MIB + 5) : reversed(request));

        assertIsPicture(thumb());
        assertThat(service.requests()).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource({"X-None: 1", "Transfer-Encoding: gzip", "Transfer-Encoding: identity"})
    void resultWithoutALengthIsNone(String field) throws IOException {
        try (ScriptedServer old = ScriptedServer.start((request, wire) -> {
            byte[] body = wire.take(request);
            wire.head("200 OK", "Connection: close", field);
            wire.bytes(body);
            wire.close();
        })) {
            restart(settings(old.uri()));

            Response response = thumb();

            assertThat(response.status()).isEqualTo(422);
            assertThat(response.element("Message")).contains("Content-Length");
        }
    }

    /** Cut between its chunks, with a head beyond all bounds, or no HTTP at all. */
    @ParameterizedTest
    @CsvSource({
        "'HTTP/1.1 200 OK|Transfer-Encoding: chunked||5|hello|', 0",
        "'HTTP/1.1 200 OK|Content-Length: 9||hello', 0",
        "'HTTP/1.1 200 OK|X-Huge: ', 100000",
        "'hello||', 0"
    })
    void responseThatIsNoneIsTheServicesFailure(String sent, int more) throws IOException {
        try (ScriptedServer broken = ScriptedServer.start((request, wire) -> {
            byte[] unused = wire.take(request);
            wire.text(sent.replace("|", "\r\n") + "x".repeat(more));
            wire.close();
        })) {
            restart(settings(broken.uri()));

            Response response = thumb();

            assertThat(response.status()).isEqualTo(503);
            assertThat(response.element("Code")).isEqualTo("ServiceUnavailable");
            assertThat(cached()).isEmpty();
            assertThat(get("images", KEY).bytes()).isEqualTo(PICTURE);
        }
    }

    @Test
    void encodedResultIsNone() throws IOException {
        service.respond(request -> reversed(request).with("Content-Encoding", "gzip"));

        assertThat(thumb().element("Code")).isEqualTo("TransformFailed");
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void tooLargeResultIsNone(boolean isChunked) throws IOException {
        restart(settings(service.uri(), TransformSettings.Method.PUT, "", "1", Duration.ofSeconds(30), "2MiB"));
        service.respond(request -> isChunked ? reversed(request).announcing(-1) : reversed(request));

        Response response = thumb();

        assertThat(response.status()).isEqualTo(422);
        assertThat(response.element("Message")).contains("2097152 bytes of its max-size");
        assertThat(cached()).isEmpty();
    }

    @Test
    void chunkedResultIsTaken() throws IOException {
        service.respond(request -> reversed(request).announcing(-1));

        assertIsPicture(thumb());
    }

    @Test
    void serviceThatHangsFailsItsObjectsAlone() throws Exception {
        // A call of a picture may take longer than the timeout on a busy machine.
        store("small", new byte[] {1, 2, 3});
        CountDownLatch over = new CountDownLatch(1);
        restart(settings(service.uri(), TransformSettings.Method.PUT, "", "1", Duration.ofSeconds(1), "16MiB"));
        service.respond(request -> {
            await(over);
            return reversed(request);
        });
        try {
            assertThat(thumb().status()).isEqualTo(503);
            assertThat(get("images", KEY).bytes()).isEqualTo(PICTURE);
        } finally {
            over.countDown();
        }
        service.respond(TransformBucketTest::reversed);
        assertThat(get("thumbs", "small").bytes()).containsExactly(3, 2, 1);
    }

    @Test
    void serviceThatIsNotThereFailsItsObjectsAlone() throws Exception {
        try (ReservedPort closed = new ReservedPort()) {
            restart(settings(closed.uri()));

            assertThat(thumb().status()).isEqualTo(503);
            assertThat(get("images", KEY).bytes()).isEqualTo(PICTURE);
        }
    }

    @Test
    @Promise("D5")
    void resultsThatDifferEachTimeAreNeverMixed() throws IOException {
        AtomicInteger calls = new AtomicInteger();
        service.respond(request -> {
            byte[] body = new byte[3 * MIB];
            Arrays.fill(body, (byte) calls.incrementAndGet());
            return PlannedResponse.of(200, body);
        });
        assertThat(thumb().bytes()).containsOnly(1);
        ObjectMetadata first = cached().get(0);
        Polling.until("it is stored", () -> cache.inventory().residentBytes(first) == 3 * MIB);

        cache.inventory().removeBlock(first, 1);
        Response response = thumb();

        // It breaks off if its head was sent before the missing block was asked for, or is a later result.
        byte[] bytes = response.bytes();
        byte[] alike = new byte[bytes.length];
        Arrays.fill(alike, bytes.length == 0 ? 0 : bytes[0]);
        assertThat(bytes).isEqualTo(alike);
        Response next = thumb();
        assertThat(next.bytes()).hasSize(3 * MIB).containsOnly(next.bytes()[0]);
        assertThat(next.bytes()[0]).isGreaterThan((byte) 1);
        assertThat(tag(next)).isNotEqualTo(first.head().eTag().orElseThrow().toString());
    }

    @Test
    void missingBlockOfAnEqualResultIsMadeAgain() throws IOException {
        assertIsPicture(thumb());
        ObjectMetadata made = cached().get(0);
        Polling.until("it is stored", () -> cache.inventory().residentBytes(made) == PICTURE.length);

        cache.inventory().removeBlock(made, 1);

        assertIsPicture(thumb());
        assertThat(service.requests()).hasSize(2);
    }

    @Test
    void listsHaveTheKeysAndAsSizeNeverLessThanThereIs() throws IOException {
        store("train/0002.jpg", new byte[10]);
        store("zero", new byte[1]);
        Response made = thumb();

        String all = client.get("/thumbs?list-type=2").text();
        Response page = client.get("/thumbs?list-type=2&max-keys=1");
        Response next = client.get(
                "/thumbs?list-type=2&max-keys=1&continuation-token=" + encoded(page.element("NextContinuationToken")));
        Response marked = client.get("/thumbs?max-keys=1&marker=train%2F0001%20a.jpg");
        Response folders = client.get("/thumbs?list-type=2&delimiter=%2F");
        Response below = client.get("/train?list-type=2");

        assertThat(all)
                .contains("<Key>" + KEY + "</Key>", "<Key>train/0002.jpg</Key>", "<Key>zero</Key>")
                .contains("<Size>" + PICTURE.length + "</Size>", "<Size>" + 16 * MIB + "</Size>")
                .contains(tag(made).replace("\"", ""));
        assertThat(page.element("Key")).isEqualTo(KEY);
        assertThat(next.element("Key")).isEqualTo("train/0002.jpg");
        assertThat(marked.element("Key")).isEqualTo("train/0002.jpg");
        assertThat(folders.text()).contains("<CommonPrefixes><Prefix>train/</Prefix></CommonPrefixes>");
        assertThat(below.text())
                .contains("<Key>0001 a.jpg</Key>", "<Key>0002.jpg</Key>")
                .doesNotContain("zero");
        assertThat(service.requests()).hasSize(1);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** As consoles make them; aws-cli leaves out those that are listed as empty. */
    @Test
    void markersOfFoldersStayWhatTheyAre() throws IOException {
        store("new/", new byte[0]);

        assertThat(client.get("/thumbs?list-type=2&prefix=new%2F").text())
                .contains("<Key>new/</Key>", "<Size>0</Size>");
        assertThat(get("thumbs", "new/").status()).isEqualTo(200);
        assertThat(get("thumbs", "new/").body()).isEmpty();
        assertThat(service.requests()).isEmpty();
    }

    @Test
    void prefixMakesTheBucketAPartOfIt() throws IOException {
        assertIsPicture(get("train", "0001 a.jpg"));

        assertThat(service.requests().get(0).path()).isEqualTo("/images/train/0001%20a.jpg");
    }

    @Test
    void rightsAreThoseOfTheDerivedBucketAlone() throws IOException {
        SigningClient reader = SigningClient.of(gateway, "READERKEY", "reader-secret");

        assertIsPicture(reader.get(RawResponse.path("thumbs", KEY)));
        assertThat(reader.get(RawResponse.path("images", KEY)).status()).isEqualTo(403);
        assertThat(SigningClient.anonymous(gateway)
                        .get(RawResponse.path("thumbs", KEY))
                        .status())
                .isEqualTo(403);
    }

    @Test
    void copyRequestStoresAResult() throws IOException {
        Response copied = client.ask(
                "PUT",
                RawResponse.path("images", "copied"),
                Map.of("x-amz-copy-source", RawResponse.path("thumbs", KEY), "content-length", "0"));

        assertThat(copied.status()).as(copied.text()).isEqualTo(200);
        assertThat(get("images", "copied").bytes()).isEqualTo(reversed(PICTURE));
        assertThat(service.requests()).hasSize(1);
    }

    @Test
    void missingObjectsMakeNoCallAndWritesAreRefused() throws IOException {
        assertThat(get("thumbs", "none").element("Code")).isEqualTo("NoSuchKey");
        assertThat(client.ask("DELETE", RawResponse.path("thumbs", KEY), Map.of())
                        .element("Code"))
                .isEqualTo("NotImplemented");
        assertThat(service.requests()).isEmpty();
    }

    @Test
    void resultsAreReadWithoutACache() throws IOException {
        gateway.close();
        gateway = builder(settings(service.uri())).start();
        client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);

        assertIsPicture(thumb());
        assertThat(thumb("range", "bytes=1-3").bytes()).isEqualTo(Arrays.copyOfRange(reversed(PICTURE), 1, 4));
        assertThat(client.head(RawResponse.path("thumbs", KEY)).headers())
                .containsEntry("content-length", String.valueOf(PICTURE.length));
        assertThat(thumb("range", "bytes=99999999-").status()).isEqualTo(416);
        assertThat(service.requests()).hasSize(4);
        String date = Objects.requireNonNull(thumb().headers().get("last-modified"));
        assertIsPicture(thumb("if-modified-since", date));
    }

    @Test
    void membersOfArchivesAreTransformed() throws IOException {
        origin.put("images", "a.tar", TestArchive.of(Map.of("1.jpg", 10_000)).tar(), HeaderList.EMPTY);
        gateway.close();
        gateway = TestGateway.builder()
                .bucket("images", origin.backend())
                .derived("samples", "images", "*.tar", "")
                .transformed("thumbs", "samples", "", settings(service.uri()))
                .cache(cache)
                .start();
        client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
        byte[] member = get("samples", "a.tar/1.jpg").bytes();

        Response made = get("thumbs", "a.tar/1.jpg");

        assertThat(made.bytes()).hasSize(10_000).isEqualTo(reversed(member));
        assertThat(client.get("/thumbs?list-type=2").text()).contains("<Key>a.tar/1.jpg</Key>", "<Size>10000</Size>");
        assertThat(service.requests()).hasSize(1);
    }
}
