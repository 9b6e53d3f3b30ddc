package io.millrace.gateway.read;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The members of tars and zips are objects of a derived bucket, read with all that S3 has for reading. */
@ExtendWith(BufferLeakExtension.class)
class DerivedBucketTest {
    private static final String SHARD = "train/0001.tar";
    private static final String LONG = "long/" + "n".repeat(180) + ".txt";

    /** Sizes around the blocks of tars and of the cache. */
    private static final TestArchive FILES = TestArchive.of(sizes());

    @TempDir
    Path folder;

    private OriginFixture origin;
    private BlockCache cache;
    private TestGateway gateway;
    private SigningClient client;

    private static Map<String, Integer> sizes() {
        Map<String, Integer> sizes = new LinkedHashMap<>();
        sizes.put("0001.jpg", 10_000);
        sizes.put("empty", 0);
        sizes.put("one", 1);
        sizes.put("511", 511);
        sizes.put("512", 512);
        sizes.put("513", 513);
        sizes.put("large", 3_300_000);
        sizes.put("deep/er/file.txt", 77);
        sizes.put("f\u00f6\u00f6 \ud83d\ude00.txt", 1000);
        sizes.put(LONG, 2000);
        sizes.put("last", 200_000);
        return sizes;
    }

    @BeforeEach
    void start() throws Exception {
        origin = connect();
        origin.createBucket("shards");
        cache = CacheFixture.in(folder);
        gateway = builder().cache(cache).start();
        client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
    }

    /** Starts what the archives are in. */
    OriginFixture connect() throws Exception {
        return FolderOriginFixture.at(Files.createDirectory(folder.resolve("objects")));
    }

    /** Stops it. */
    void disconnect() {}

    private TestGateway.Builder builder() {
        return builder(BucketViews.FRESHNESS);
    }

    private TestGateway.Builder builder(FreshnessSettings freshness) {
        return TestGateway.builder()
                .freshness(freshness)
                .bucket("shards", origin.backend())
                .derived("samples", "shards", "**.tar", "")
                .derived("zips", "shards", "*.zip", "")
                .derived("train", "shards", "*", "train/")
                .identity("reader", "READERKEY", "reader-secret", "read,list:samples")
                .identity("keeper", "KEEPERKEY", "keeper-secret", "read,list:shards");
    }

    @AfterEach
    void stop() throws IOException {
        gateway.close();
        cache.close();
        origin.close();
        disconnect();
    }

    private void store(String key, byte[] bytes) throws IOException {
        origin.put("shards", key, bytes, HeaderList.EMPTY);
    }

    private Response get(String key, String... headers) throws IOException {
        return client.ask("GET", RawResponse.path("samples", key), fields(headers));
    }

    private static Map<String, String> fields(String... headers) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (int i = 0; i < headers.length; i += 2) {
            fields.put(headers[i], headers[i + 1]);
        }
        return fields;
    }

    @ParameterizedTest
    @ValueSource(ints = {TarArchiveOutputStream.LONGFILE_POSIX, TarArchiveOutputStream.LONGFILE_GNU})
    void membersOfTarsAreReadByteByByte(int longNames) throws IOException {
        store(SHARD, FILES.tar(longNames));

        assertAllReadable("samples", SHARD);
        assertAllReadable("samples", SHARD);
    }

    @Test
    void storedMembersOfZipsAreReadByteByByte() throws IOException {
        store("a.zip", FILES.zip(ZipEntry.STORED));

        assertAllReadable("zips", "a.zip");
        assertAllReadable("zips", "a.zip");
    }

    @Test
    void membersAreReadWithoutACache() throws IOException {
        store(SHARD, FILES.tar());
        store("a.zip", FILES.zip(ZipEntry.STORED));
        try (TestGateway bare = builder().start()) {
            client = SigningClient.of(bare, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);

            assertAllReadable("samples", SHARD);
            assertAllReadable("zips", "a.zip");
            assertRangesAndConditions();
        }
    }

    private void assertAllReadable(String bucket, String shard) throws IOException {
        for (Map.Entry<String, byte[]> file : FILES.files().entrySet()) {
            String target = RawResponse.path(bucket, shard + "/" + file.getKey());

            Response whole = client.get(target);
            Response head = client.head(target);

            assertThat(whole.status()).as(whole.text()).isEqualTo(200);
            assertThat(whole.bytes()).as(file.getKey()).isEqualTo(file.getValue());
            assertThat(whole.headers())
                    .containsEntry("content-type", "binary/octet-stream")
                    .containsKey("last-modified");
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.headers())
                    .containsEntry("content-length", "" + file.getValue().length)
                    .containsEntry("etag", whole.headers().get("etag"));
        }
    }

    @Test
    void rangesAndConditionsAreThoseOfTheMember() throws IOException {
        store(SHARD, FILES.tar());

        assertRangesAndConditions();
        assertRangesAndConditions();
    }

    private void assertRangesAndConditions() throws IOException {
        byte[] large = requireNonNull(FILES.files().get("large"));
        String key = SHARD + "/large";
        assertRange(key, "bytes=0-0", 0, 1, large);
        assertRange(key, "bytes=1000000-1100000", 1_000_000, 1_100_001, large);
        assertRange(key, "bytes=-10", large.length - 10, large.length, large);
        assertRange(key, "bytes=3299990-", 3_299_990, large.length, large);
        assertRange(key, "bytes=3299999-9999999", 3_299_999, large.length, large);
        assertThat(get(key, "range", "bytes=3300000-").status()).isEqualTo(416);
        assertThat(get(SHARD + "/empty", "range", "bytes=0-0").status()).isEqualTo(416);

        Response plain = client.head(RawResponse.path("samples", key));
        String tag = requireNonNull(plain.headers().get("etag"));
        String time = requireNonNull(plain.headers().get("last-modified"));
        assertThat(tag).matches("\"[0-9a-f]{32}-1\"");
        assertThat(get(key, "if-none-match", tag).status()).isEqualTo(304);
        assertThat(get(key, "if-modified-since", time).status()).isEqualTo(304);
        assertThat(get(key, "if-match", tag, "range", "bytes=0-1").status()).isEqualTo(206);
        assertThat(get(key, "if-match", "\"other\"").status()).isEqualTo(412);
        assertThat(get(key, "if-range", tag, "range", "bytes=0-1").status()).isEqualTo(206);
        assertThat(get(key, "if-range", "\"other\"", "range", "bytes=0-1").bytes())
                .isEqualTo(large);
        assertThat(client.get(RawResponse.path("samples", key) + "?partNumber=1")
                        .bytes())
                .isEqualTo(large);
        assertThat(client.get(RawResponse.path("samples", key) + "?partNumber=2")
                        .status())
                .isEqualTo(416);
    }

    private void assertRange(String key, String range, int first, int end, byte[] content) throws IOException {
        Response response = get(key, "range", range);

        assertThat(response.status()).as(range).isEqualTo(206);
        assertThat(response.bytes()).as(range).isEqualTo(Arrays.copyOfRange(content, first, end));
        assertThat(response.headers())
                .containsEntry("content-range", "bytes %d-%d/%d".formatted(first, end - 1, content.length));
    }

    @Test
    void bytesOfMembersAreCachedOnce() throws IOException {
        byte[] tar = FILES.tar();
        store(SHARD, tar);
        assertAllReadable("samples", SHARD);
        Polling.until("fills have ended", () -> cache.administration().stats().fills() == 0);

        assertAllReadable("samples", SHARD);
        assertThat(client.get("/shards/" + SHARD).bytes()).isEqualTo(tar);

        long blocks = cache.administration().stats().records();
        assertThat(blocks).isEqualTo((tar.length + (1 << 20) - 1) >> 20);
        assertThat(get(SHARD + "/large").headers().get("cache-status")).startsWith("millrace; hit");
    }

    @ParameterizedTest
    @CsvSource({"samples, train/0001.tar/0001.jpg", "zips, a.zip/0001.jpg"})
    void warmMembersTakeTheFastPath(String bucket, String key) throws IOException {
        store(SHARD, FILES.tar());
        store("a.zip", FILES.zip(ZipEntry.STORED));

        Polling.until("a member is on the fast path", () -> {
            Response response = client.get(RawResponse.path(bucket, key));
            assertThat(response.bytes()).isEqualTo(FILES.files().get("0001.jpg"));
            List<RequestRecord> ended = gateway.requests();
            return !ended.isEmpty() && ended.get(ended.size() - 1).fastPath();
        });
    }

    @ParameterizedTest
    @CsvSource({"shards, train/0001.tar, samples, train/0001.tar/0001.jpg", "shards, a.zip, zips, a.zip/0001.jpg"})
    void readThatFetchedForTheIndexIsNoHit(String from, String shard, String bucket, String key) throws IOException {
        store(SHARD, FILES.tar());
        store("a.zip", FILES.zip(ZipEntry.STORED));
        assertThat(client.head(RawResponse.path(from, shard)).status()).isEqualTo(200);

        Response first = client.get(RawResponse.path(bucket, key));
        Polling.until(
                "a hit", () -> status(client.get(RawResponse.path(bucket, key))).startsWith("millrace; hit"));

        assertThat(first.bytes()).isEqualTo(FILES.files().get("0001.jpg"));
        assertThat(status(first)).startsWith("millrace; fwd=miss");
        Polling.until(
                "the first is recorded",
                () -> gateway.requests().stream()
                        .anyMatch(request -> request.method().equals("GET")
                                && request.cache().equals(Optional.of(CacheResult.MISS))));
    }

    private static String status(Response response) {
        return response.headers().getOrDefault("cache-status", "none");
    }

    @Test
    void indexOfAResidentShardCostsNoMiss() throws IOException {
        byte[] tar = FILES.tar();
        store(SHARD, tar);
        assertThat(client.get("/shards/" + SHARD).bytes()).isEqualTo(tar);
        Polling.until("fills have ended", () -> cache.administration().stats().fills() == 0);

        assertThat(status(get(SHARD + "/0001.jpg"))).startsWith("millrace; hit");
    }

    @Test
    void absenceOfAMemberHasTheStatusOfItsShard() throws IOException {
        store(SHARD, FILES.tar());
        Response first = get(SHARD + "/absent");
        Response second = get(SHARD + "/absent");

        assertThat(first.status()).isEqualTo(404);
        assertThat(status(first)).isEqualTo("millrace; fwd=miss");
        assertThat(second.status()).isEqualTo(404);
        assertThat(status(second)).startsWith("millrace; hit");
    }

    @Test
    void onlyIfCachedFetchesNoHeaderOfAZip() throws IOException {
        store("a.zip", FILES.zip(ZipEntry.STORED));
        assertThat(client.get("/zips/a.zip/last").status()).isEqualTo(200);

        Response response = client.ask("HEAD", "/zips/a.zip/0001.jpg", Map.of("cache-control", "only-if-cached"));

        assertThat(response.status()).isEqualTo(504);
    }

    @Test
    void headerOfAZipsMemberIsReadOnce() throws IOException {
        store("a.zip", FILES.zip(ZipEntry.STORED));
        String target = RawResponse.path("zips", "a.zip/0001.jpg");
        assertThat(client.get(target).status()).isEqualTo(200);
        Polling.until("fills have ended", () -> cache.administration().stats().fills() == 0);
        Polling.until("blocks are stored", () -> cache.administration().stats().inFlight() == 0);

        removeBlocks("a.zip");

        Map<String, String> onlyIfCached = Map.of("cache-control", "only-if-cached");
        assertThat(client.ask("HEAD", target, onlyIfCached).status()).isEqualTo(200);
        assertThat(client.ask("GET", target, onlyIfCached).status()).isEqualTo(504);
        assertThat(client.get(target).bytes()).isEqualTo(FILES.files().get("0001.jpg"));
    }

    private void removeBlocks(String shard) {
        ObjectRef object = new ObjectRef(new BucketName("shards"), new ObjectKey(shard));
        ObjectMetadata cached = cache.reader()
                .find(ObjectId.current("backend-0", object))
                .blockOptional()
                .orElseThrow();
        for (long block = 0; block < cached.blocks(); block++) {
            cache.inventory().removeBlock(cached, block);
        }
    }

    @Test
    void checksumOfAZipIsSentToWhoAsks() throws IOException {
        store("a.zip", FILES.zip(ZipEntry.STORED));
        String target = RawResponse.path("zips", "a.zip/0001.jpg");

        Response asked = client.ask("GET", target, Map.of("x-amz-checksum-mode", "ENABLED"));

        CRC32 sum = new CRC32();
        sum.update(FILES.files().get("0001.jpg"));
        byte[] bytes = ByteBuffer.allocate(4).putInt((int) sum.getValue()).array();
        assertThat(asked.headers())
                .containsEntry("x-amz-checksum-crc32", Base64.getEncoder().encodeToString(bytes));
        assertThat(client.get(target).headers()).doesNotContainKey("x-amz-checksum-crc32");
    }

    @Test
    void whatIsNoMemberIsNotThere() throws IOException {
        store(SHARD, FILES.tar());

        for (String key : List.of(
                SHARD + "/absent",
                SHARD + "/link",
                SHARD + "/folder/",
                SHARD + "/",
                SHARD,
                "train/absent.tar/one",
                "train/one",
                SHARD + "/0001.jpg/x")) {
            Response response = get(key);

            assertThat(response.status()).as(key).isEqualTo(404);
            assertThat(response.element("Code")).as(key).isEqualTo("NoSuchKey");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void missingSourceIsAMissingBucketWhateverTheKey(boolean isCaching) throws Exception {
        TestGateway.Builder builder =
                TestGateway.builder().derived("samples", "nope", "**.tar", "").bucket("*", origin.backend());
        try (BlockCache own = CacheFixture.in(Files.createDirectory(folder.resolve("own")));
                TestGateway wrong = isCaching ? builder.cache(own).start() : builder.start()) {
            SigningClient asking = SigningClient.of(wrong, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
            for (String key : List.of("train/one", SHARD + "/one")) {
                Response response = asking.ask("GET", RawResponse.path("samples", key), Map.of());

                assertThat(response.status()).as(key).isEqualTo(404);
                assertThat(response.element("Code")).as(key).isEqualTo("NoSuchBucket");
            }
        }
    }

    @Test
    void namesThatEscapeAreHidden() throws IOException {
        store(
                "a.tar",
                TestArchive.of("../above", "/absolute", "a//b", "inside/../x", "./good")
                        .tar());

        assertThat(keys("samples", "list-type=2")).containsExactly("a.tar/good");
        assertThat(get("a.tar/good").text()).isEqualTo("content of ./good");
        assertThat(get("a.tar/../above").status()).isEqualTo(404);
    }

    @Test
    @Promise("D3")
    void damagedArchiveIsAnErrorBeyondTheDamage() throws IOException {
        byte[] tar = FILES.tar();
        store(SHARD, Arrays.copyOf(tar, tar.length - 300_000));

        Response lost = get(SHARD + "/last");
        Response listed = client.get("/samples?list-type=2");

        assertThat(get(SHARD + "/0001.jpg").bytes()).isEqualTo(FILES.files().get("0001.jpg"));
        assertThat(lost.status()).isEqualTo(422);
        assertThat(lost.element("Code")).isEqualTo("InvalidArchive");
        assertThat(lost.element("Message")).contains("byte");
        assertThat(listed.status()).isEqualTo(422);
        assertThat(listed.element("Message")).contains(SHARD, "byte");
        assertThat(prefixes("samples", "list-type=2&delimiter=/")).containsExactly("train/");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.tar", "a.zip"})
    void whatIsNoArchiveIsAnError(String key) throws IOException {
        store(key, "no archive at all".repeat(100).getBytes(StandardCharsets.UTF_8));
        store("empty.zip", new byte[0]);

        assertThat(client.get("/train/" + key + "/x").status()).isEqualTo(404);
        for (String archive : List.of(key, "empty.zip")) {
            Response response = client.get((archive.endsWith("zip") ? "/zips/" : "/samples/") + archive + "/x");

            assertThat(response.status()).isEqualTo(422);
            assertThat(response.element("Code")).isEqualTo("InvalidArchive");
        }
    }

    @Test
    void compressedArchivesAreRefusedWithARemedy() throws IOException {
        store("train/a.tar.gz", new byte[100]);

        Response response = client.get("/train/a.tar.gz/x");

        assertThat(response.status()).isEqualTo(501);
        assertThat(response.element("Message")).contains("decompress it once");
    }

    @Test
    @Promise("D2")
    void overwrittenShardIsSeenInItsMembersAtOnce() throws IOException {
        put("a.tar", TestArchive.of(Map.of("one", 1000, "gone", 10)).tar());
        String before =
                requireNonNull(client.head("/samples/a.tar/one").headers().get("etag"));
        assertThat(get("a.tar/gone").status()).isEqualTo(200);
        TestArchive other = TestArchive.of(Map.of("one", 2000, "new", 20));

        put("a.tar", other.tar());

        Response after = get("a.tar/one", "if-none-match", before);
        assertThat(after.status()).isEqualTo(200);
        assertThat(after.bytes()).isEqualTo(other.files().get("one"));
        assertThat(get("a.tar/gone").status()).isEqualTo(404);
        assertThat(keys("samples", "list-type=2")).containsExactly("a.tar/new", "a.tar/one");
        assertThat(client.ask("DELETE", "/shards/a.tar", Map.of()).status()).isEqualTo(204);
        assertThat(get("a.tar/one").status()).isEqualTo(404);
        assertThat(keys("samples", "list-type=2")).isEmpty();
    }

    /** Copies of what is read often are in memory. */
    @ParameterizedTest
    @CsvSource({"samples, a.tar", "zips, a.zip"})
    @Promise("D2")
    void overwrittenShardIsSeenInMembersThatAreReadOften(String bucket, String shard) throws IOException {
        TestArchive old = TestArchive.of(Map.of("one", 10_000));
        TestArchive other = new TestArchive(Map.of("one", new byte[10_000]));
        String target = RawResponse.path(bucket, shard + "/one");

        for (TestArchive version : List.of(old, other, old)) {
            put(shard, shard.endsWith(".tar") ? version.tar() : version.zip(ZipEntry.STORED));

            for (int reads = 0; reads < 100; reads++) {
                assertThat(client.get(target).bytes()).isEqualTo(version.files().get("one"));
            }
        }
    }

    private void put(String key, byte[] bytes) throws IOException {
        try (var connection = gateway.connect()) {
            String head = client.request("PUT", "/shards/" + key, Map.of("content-length", "" + bytes.length));
            assertThat(connection
                            .send(head + new String(bytes, StandardCharsets.ISO_8859_1))
                            .status())
                    .isEqualTo(200);
        }
    }

    @Test
    @Promise("D2")
    void shardReplacedAtTheBackendIsSeenAtOnceIfItsBucketIsStrict() throws IOException {
        TestArchive other = TestArchive.of(Map.of("one", 2000, "new", 20));
        store("a.tar", TestArchive.of(Map.of("one", 1000)).tar());
        try (TestGateway strict = serve(Mode.STRICT)) {
            client = SigningClient.of(strict, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
            assertThat(get("a.tar/one").bytes()).hasSize(1000);

            store("a.tar", other.tar());

            assertThat(get("a.tar/one").bytes()).isEqualTo(other.files().get("one"));
            assertThat(keys("samples", "list-type=2")).containsExactly("a.tar/new", "a.tar/one");
        }
    }

    @Test
    @Promise("D2")
    void shardReplacedAtTheBackendIsSeenWhenItsTtlHasPassed() throws IOException {
        TestArchive other = TestArchive.of(Map.of("one", 2000, "new", 20));
        store("a.tar", TestArchive.of(Map.of("one", 1000)).tar());
        try (TestGateway brief = serve(Mode.TTL)) {
            client = SigningClient.of(brief, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
            assertThat(get("a.tar/one").bytes()).hasSize(1000);

            store("a.tar", other.tar());

            Polling.until("the new version is read", () -> get("a.tar/one").bytes().length == 2000);
            assertThat(get("a.tar/new").status()).isEqualTo(200);
            assertThat(keys("samples", "list-type=2")).containsExactly("a.tar/new", "a.tar/one");
        }
    }

    private TestGateway serve(Mode mode) {
        Duration second = Duration.ofSeconds(1);
        return builder(BucketViews.freshness(mode, second, second, Duration.ZERO))
                .cache(cache)
                .start();
    }

    @Test
    @Promise("D2")
    void shardReplacedAtTheBackendIsSeenByWhoAsksForIt() throws IOException {
        TestArchive other = TestArchive.of(Map.of("one", 2000));
        store("a.tar", TestArchive.of(Map.of("one", 1000)).tar());
        assertThat(get("a.tar/one").bytes()).hasSize(1000);
        store("a.tar", other.tar());

        assertThat(get("a.tar/one", "cache-control", "no-cache").bytes())
                .isEqualTo(other.files().get("one"));
        assertThat(get("a.tar/one").bytes()).isEqualTo(other.files().get("one"));
    }

    @Test
    @Promise("D1")
    void replacedShardIsNeverMixed() throws IOException {
        TestArchive old = TestArchive.of(Map.of("one", 3_000_000, "two", 3_000_000));
        TestArchive other = new TestArchive(Map.of("one", new byte[3_000_000], "two", new byte[3_000_000]));
        store("a.tar", old.tar());
        assertThat(get("a.tar/one").bytes()).isEqualTo(old.files().get("one"));

        store("a.tar", other.tar());

        for (String name : List.of("one", "two", "one", "two")) {
            Response response = get("a.tar/" + name);

            // A response whose blocks are gone breaks off.
            byte[] bytes = response.bytes();
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.headers()).containsEntry("content-length", "3000000");
            assertThat(Stream.of(old, other)
                            .map(version -> Arrays.copyOf(version.files().get(name), bytes.length)))
                    .as(name)
                    .anyMatch(version -> Arrays.equals(version, bytes));
        }
    }

    @Test
    void rightsAreThoseOfTheDerivedBucket() throws IOException {
        store(SHARD, FILES.tar());
        SigningClient reader = SigningClient.of(gateway, "READERKEY", "reader-secret");
        SigningClient keeper = SigningClient.of(gateway, "KEEPERKEY", "keeper-secret");
        String member = "/samples/" + SHARD + "/0001.jpg";

        assertThat(reader.get(member).status()).isEqualTo(200);
        assertThat(reader.get("/samples?list-type=2").status()).isEqualTo(200);
        assertThat(reader.get("/shards/" + SHARD).status()).isEqualTo(403);
        assertThat(keeper.get("/shards/" + SHARD).status()).isEqualTo(200);
        assertThat(keeper.get(member).status()).isEqualTo(403);
        assertThat(keeper.get("/samples?list-type=2").status()).isEqualTo(403);
        assertThat(SigningClient.anonymous(gateway).get(member).status()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "DELETE"})
    void writesAreRefused(String method) throws IOException {
        store(SHARD, FILES.tar());

        Response response = client.ask(
                method,
                "/samples/" + SHARD + "/0001.jpg",
                method.equals("PUT") ? Map.of("content-length", "0") : Map.of());

        assertThat(response.status()).isEqualTo(501);
        assertThat(response.element("Message")).contains("read-only", "derived from");
        assertThat(get(SHARD + "/0001.jpg").status()).isEqualTo(200);
    }

    @Test
    void onlyIfCachedScansNothing() throws IOException {
        store(SHARD, FILES.tar());
        String key = SHARD + "/0001.jpg";

        assertThat(get(key, "cache-control", "only-if-cached").status()).isEqualTo(504);
        assertThat(get(key).status()).isEqualTo(200);
        Polling.until(
                "the member is cached",
                () -> get(key, "cache-control", "only-if-cached").status() == 200);
    }

    @Test
    void listsHaveTheOrderOfS3() throws IOException {
        List<String> all = storeSeveral();

        assertThat(keys("samples", "list-type=2")).isEqualTo(all);
        assertThat(keys("samples", "")).isEqualTo(all);
        assertThat(keys("samples", "list-type=2&prefix=a.tar/"))
                .isEqualTo(all.stream().filter(key -> key.startsWith("a.tar/")).toList());
        assertThat(keys("samples", "list-type=2&prefix=a.tar")).isEqualTo(beginningWith(all, "a.tar"));
        assertThat(keys("samples", "list-type=2&prefix=a.tar/s")).isEqualTo(beginningWith(all, "a.tar/s"));
        assertThat(keys("samples", "list-type=2&prefix=b/")).isEqualTo(beginningWith(all, "b/"));
        assertThat(keys("samples", "list-type=2&prefix=none")).isEmpty();
        assertThat(keys("train", "list-type=2")).containsExactly("a.tar/x");
    }

    @Test
    void pageEndsBeforeItScansTooMuch() throws IOException {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            store("%02d.tar".formatted(i), TestArchive.of("x").tar());
            all.add("%02d.tar/x".formatted(i));
        }

        ParsedListing first = list("samples", "list-type=2");

        assertThat(first.isTruncated()).isTrue();
        assertThat(first.keys()).isEqualTo(all.subList(0, first.keys().size())).hasSizeBetween(1, 10);
        ParsedListing second = list("samples", "list-type=2" + after(first.field("NextContinuationToken")));
        assertThat(second.keys().get(0)).isEqualTo(all.get(first.keys().size()));
    }

    private static List<String> beginningWith(List<String> all, String prefix) {
        return all.stream().filter(key -> key.startsWith(prefix)).toList();
    }

    /** Stores shards whose names sort otherwise than their members, and returns the keys of those in order. */
    private List<String> storeSeveral() throws IOException {
        List<String> keys = new ArrayList<>();
        for (String shard : List.of(
                "a.tar",
                "a.tar-b.tar",
                "a.tar-b.tar!.tar",
                "a.tar.tar",
                "a.tar0.tar",
                "b/c.tar",
                "b/c.tar-d.tar",
                "b/e/f.tar",
                "train/a.tar",
                "z.tar")) {
            List<String> names = shard.equals("train/a.tar")
                    ? List.of("x")
                    : List.of("z", "sub/1", "sub/2", "sub", "\ud83d\ude00", "\uff5e");
            store(shard, TestArchive.of(names.toArray(String[]::new)).tar());
            names.forEach(name -> keys.add(shard + "/" + name));
        }
        store("no-shard", new byte[10]);
        store("b/readme.txt", new byte[10]);
        store("empty.tar", new byte[1024]);
        keys.sort(ObjectKey.UTF8_ORDER);
        indexAll();
        return keys;
    }

    /** Lists to the end, so that no later page ends before an archive that was not scanned. */
    private void indexAll() throws IOException {
        Optional<String> token = Optional.empty();
        do {
            token = list("samples", "list-type=2" + after(token)).field("NextContinuationToken");
        } while (token.isPresent());
    }

    private static String after(Optional<String> token) {
        return token.map(text -> "&" + RawResponse.parameter("continuation-token", text))
                .orElse("");
    }

    @Test
    void delimitersRollUpShardsAndFolders() throws IOException {
        storeSeveral();

        assertThat(prefixes("samples", "list-type=2&delimiter=/"))
                .containsExactly(
                        "a.tar-b.tar!.tar/",
                        "a.tar-b.tar/",
                        "a.tar.tar/",
                        "a.tar/",
                        "a.tar0.tar/",
                        "b/",
                        "empty.tar/",
                        "train/",
                        "z.tar/");
        assertThat(keys("samples", "list-type=2&delimiter=/")).isEmpty();
        assertThat(prefixes("samples", "list-type=2&delimiter=/&prefix=b/"))
                .containsExactly("b/c.tar-d.tar/", "b/c.tar/", "b/e/");
        assertThat(prefixes("samples", "list-type=2&delimiter=/&prefix=b/c.tar/"))
                .containsExactly("b/c.tar/sub/");
        assertThat(keys("samples", "list-type=2&delimiter=/&prefix=b/c.tar/"))
                .containsExactly("b/c.tar/sub", "b/c.tar/z", "b/c.tar/\uff5e", "b/c.tar/\ud83d\ude00");
        assertThat(prefixes("samples", "list-type=2&delimiter=ub")).contains("a.tar/sub", "b/c.tar/sub");
        assertThat(prefixes("samples", "list-type=2&delimiter=/&start-after=b/c.tar/sub"))
                .containsExactly("b/", "empty.tar/", "train/", "z.tar/");
        assertThat(prefixes("samples", "list-type=2&delimiter=/&start-after=train/a.tar/x"))
                .containsExactly("z.tar/");
    }

    @ParameterizedTest
    @CsvSource({"1, ''", "2, ''", "3, ''", "7, ''", "1, /", "2, /", "1, ub", "3, ub"})
    void pagesMakeTheWholeListing(int size, String delimiter) throws IOException {
        storeSeveral();
        String query = "delimiter=" + delimiter;
        ParsedListing whole = list("samples", "list-type=2&" + query);
        List<String> found = new ArrayList<>();
        Optional<String> token = Optional.empty();
        do {
            ParsedListing page = list("samples", "list-type=2&max-keys=" + size + "&" + query + after(token));
            assertThat(page.keys().size() + page.prefixes().size()).isBetween(1, size);
            found.addAll(page.keys());
            found.addAll(page.prefixes());
            token = page.field("NextContinuationToken");
        } while (token.isPresent() && found.size() < 200);

        List<String> expected =
                Stream.concat(whole.keys().stream(), whole.prefixes().stream()).toList();
        assertThat(found).containsExactlyInAnyOrderElementsOf(expected);
        assertThat(found).hasSameSizeAs(expected);
    }

    @ParameterizedTest
    @CsvSource({"1, ''", "5, ''", "2, /"})
    void pagesByMarkerMakeTheWholeListing(int size, String delimiter) throws IOException {
        List<String> all = storeSeveral();
        ParsedListing whole = list("samples", "delimiter=" + delimiter);
        List<String> found = new ArrayList<>();
        String marker = "";
        ParsedListing page;
        do {
            page = list(
                    "samples",
                    "max-keys=" + size + "&delimiter=" + delimiter + "&" + RawResponse.parameter("marker", marker));
            found.addAll(page.keys());
            found.addAll(page.prefixes());
            marker = page.field("NextMarker").orElse(found.get(found.size() - 1));
        } while (page.isTruncated() && found.size() < 200);

        assertThat(found).isEqualTo(delimiter.isEmpty() ? all : whole.prefixes());
    }

    @Test
    void listStartsAfterAnyKey() throws IOException {
        List<String> all = storeSeveral();
        for (int i = 0; i < all.size(); i++) {
            String query = "list-type=2&" + RawResponse.parameter("start-after", all.get(i));
            assertThat(keys("samples", query)).as(all.get(i)).isEqualTo(all.subList(i + 1, all.size()));
        }
        for (String text : List.of("a.tar", "a.tar-", "a.tar/", "a.tas", "b", "b/c.tar", "zz")) {
            assertThat(keys("samples", "list-type=2&" + RawResponse.parameter("start-after", text)))
                    .as(text)
                    .isEqualTo(all.stream()
                            .filter(key -> ObjectKey.UTF8_ORDER.compare(key, text) > 0)
                            .toList());
        }
    }

    @Test
    void listsTellWhatHeadsTell() throws IOException {
        store(SHARD, FILES.tar());

        for (var entry : list("samples", "list-type=2").objects()) {
            Response head = client.head(RawResponse.path("samples", ParsedListing.text(entry, "Key")));

            assertThat(head.headers())
                    .containsEntry("etag", ParsedListing.text(entry, "ETag"))
                    .containsEntry("content-length", ParsedListing.text(entry, "Size"));
        }
    }

    private ParsedListing list(String bucket, String query) throws IOException {
        return ParsedListing.of(client.get("/" + bucket + "?" + query));
    }

    private List<String> keys(String bucket, String query) throws IOException {
        return list(bucket, query).keys();
    }

    private List<String> prefixes(String bucket, String query) throws IOException {
        return list(bucket, query).prefixes();
    }
}
