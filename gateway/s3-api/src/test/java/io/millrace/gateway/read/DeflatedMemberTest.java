package io.millrace.gateway.read;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.file.FileBackendProvider;
import io.millrace.backend.file.FileBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.testkit.RawClient.Response;
import io.millrace.gateway.testkit.SigningClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that are deflated in their zip are read as others are, or are an error if the zip lies about them. */
@ExtendWith(BufferLeakExtension.class)
class DeflatedMemberTest {
    /** Fields of an entry of a zip's directory, by their places. */
    private static final int METHOD = 10;

    private static final int CRC = 16;
    private static final int SIZE = 24;

    private static final TestArchive FILES = files(1);

    @TempDir
    Path folder;

    private Backend backend;
    private BlockCache cache;
    private TestGateway gateway;
    private SigningClient client;

    private static TestArchive files(int seed) {
        Random random = new Random(seed);
        Map<String, byte[]> files = new LinkedHashMap<>();
        files.put("text", ("a line of text " + seed + '\n').repeat(20_000).getBytes(StandardCharsets.UTF_8));
        files.put("empty", new byte[0]);
        files.put("one", new byte[] {(byte) seed});
        byte[] noise = new byte[200_000];
        random.nextBytes(noise);
        files.put("noise", noise);
        byte[] large = new byte[3_300_000];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) ('a' + random.nextInt(13));
        }
        files.put("deep/er/large", large);
        return new TestArchive(files);
    }

    private static byte[] content(String name) {
        return requireNonNull(FILES.files().get(name));
    }

    @BeforeEach
    void start() throws IOException {
        Files.createDirectories(folder.resolve("objects/shards"));
        backend = new FileBackendProvider().create("file", new FileBackendSettings(folder.resolve("objects")));
        cache = CacheFixture.in(folder);
        startGateway(builder().cache(cache));
    }

    private TestGateway.Builder builder() {
        return TestGateway.builder().bucket("shards", backend).derived("zips", "shards", "*.zip", "");
    }

    private void startGateway(TestGateway.Builder builder) throws IOException {
        gateway = builder.start();
        client = SigningClient.of(gateway, TestGateway.ACCESS_KEY, TestGateway.SECRET_KEY);
    }

    @AfterEach
    void stop() {
        gateway.close();
        cache.close();
        backend.close().block();
    }

    private void store(byte[] zip) throws IOException {
        Files.write(folder.resolve("objects/shards/a.zip"), zip);
    }

    private static String target(String name) {
        return RawResponse.path("zips", "a.zip/" + name);
    }

    private Response get(String name, String range) throws IOException {
        return client.ask("GET", target(name), Map.of("range", range));
    }

    @Test
    void membersAreReadByteByByte() throws IOException {
        store(FILES.zip(ZipEntry.DEFLATED));

        assertAllReadable();
        assertAllReadable();
    }

    @Test
    void membersAreReadWithoutACache() throws IOException {
        store(FILES.zip(ZipEntry.DEFLATED));
        gateway.close();
        startGateway(builder());

        assertAllReadable();
        assertRanges();
    }

    private void assertAllReadable() throws IOException {
        for (Map.Entry<String, byte[]> file : FILES.files().entrySet()) {
            Response whole = client.get(target(file.getKey()));
            Response head = client.head(target(file.getKey()));

            assertThat(whole.status()).as(whole.text()).isEqualTo(200);
            assertThat(whole.bytes()).as(file.getKey()).isEqualTo(file.getValue());
            assertThat(whole.headers()).containsEntry("content-type", "binary/octet-stream");
            assertThat(head.headers())
                    .containsEntry("content-length", "" + file.getValue().length)
                    .containsEntry("etag", whole.headers().get("etag"))
                    .containsEntry("last-modified", whole.headers().get("last-modified"));
        }
    }

    @Test
    void listsHaveTheSizeOfTheContent() throws IOException {
        store(FILES.zip(ZipEntry.DEFLATED));

        ParsedListing listed = ParsedListing.of(client.get("/zips?list-type=2"));

        assertThat(listed.keys()).hasSize(FILES.files().size());
        for (var object : listed.objects()) {
            Response head = client.head(RawResponse.path("zips", ParsedListing.text(object, "Key")));
            assertThat(head.headers())
                    .containsEntry("content-length", ParsedListing.text(object, "Size"))
                    .containsEntry("etag", ParsedListing.text(object, "ETag"));
        }
    }

    @Test
    void rangesAndConditionsAreThoseOfTheContent() throws IOException {
        store(FILES.zip(ZipEntry.DEFLATED));

        assertRanges();
        assertRanges();

        String tag = requireNonNull(client.head(target("text")).headers().get("etag"));
        assertThat(tag).matches("\"[0-9a-f]{32}-1\"");
        assertThat(client.ask("GET", target("text"), Map.of("if-none-match", tag))
                        .status())
                .isEqualTo(304);
        assertThat(client.ask("GET", target("text"), Map.of("if-match", "\"other\""))
                        .status())
                .isEqualTo(412);
        assertThat(client.get(target("text") + "?partNumber=1").bytes()).isEqualTo(content("text"));
    }

    private void assertRanges() throws IOException {
        byte[] large = content("deep/er/large");
        for (int[] range : new int[][] {{3_000_000, 3_299_999}, {0, 0}, {1_000_000, 1_100_000}, {5, 2_500_000}}) {
            Response response = get("deep/er/large", "bytes=%d-%d".formatted(range[0], range[1]));

            assertThat(response.status()).isEqualTo(206);
            assertThat(response.bytes()).isEqualTo(Arrays.copyOfRange(large, range[0], range[1] + 1));
            assertThat(response.headers())
                    .containsEntry("content-range", "bytes %d-%d/%d".formatted(range[0], range[1], large.length));
        }
        assertThat(get("deep/er/large", "bytes=-7").bytes())
                .isEqualTo(Arrays.copyOfRange(large, large.length - 7, large.length));
        assertThat(get("deep/er/large", "bytes=3300000-").status()).isEqualTo(416);
    }

    @Test
    void checksumIsSentToWhoAsks() throws IOException {
        store(FILES.zip(ZipEntry.DEFLATED));

        Response asked = client.ask("GET", target("text"), Map.of("x-amz-checksum-mode", "ENABLED"));

        CRC32 sum = new CRC32();
        sum.update(content("text"));
        byte[] bytes = ByteBuffer.allocate(4).putInt((int) sum.getValue()).array();
        assertThat(asked.bytes()).isEqualTo(content("text"));
        assertThat(asked.headers())
                .containsEntry("x-amz-checksum-crc32", Base64.getEncoder().encodeToString(bytes));
    }

    @Test
    void warmMembersTakeTheFastPath() throws IOException {
        store(FILES.zip(ZipEntry.DEFLATED));

        Polling.until("a member is on the fast path", () -> {
            Response response = client.get(target("one"));
            assertThat(response.bytes()).isEqualTo(content("one"));
            List<RequestRecord> ended = gateway.requests();
            return !ended.isEmpty() && ended.get(ended.size() - 1).fastPath();
        });
    }

    @Test
    void decodedMembersAreThereAfterARestart() throws IOException {
        store(FILES.zip(ZipEntry.DEFLATED));
        assertAllReadable();
        Polling.until("fills have ended", () -> cache.administration().stats().fills() == 0);
        long records = cache.administration().stats().records();
        gateway.close();
        cache.close();
        cache = CacheFixture.in(folder);
        startGateway(builder().cache(cache));

        assertAllReadable();

        assertThat(client.get(target("text")).headers().get("cache-status")).startsWith("millrace; hit");
        assertThat(cache.administration().stats().records()).isEqualTo(records);
    }

    @Test
    @Promise("D1")
    void replacedShardServesNoOldContent() throws IOException {
        put(FILES.zip(ZipEntry.DEFLATED));
        assertAllReadable();
        String before = requireNonNull(client.head(target("text")).headers().get("etag"));
        TestArchive other = files(2);

        put(other.zip(ZipEntry.DEFLATED));

        for (Map.Entry<String, byte[]> file : other.files().entrySet()) {
            assertThat(client.get(target(file.getKey())).bytes())
                    .as(file.getKey())
                    .isEqualTo(file.getValue());
        }
        Response after = client.ask("GET", target("text"), Map.of("if-none-match", before));
        assertThat(after.status()).isEqualTo(200);
        assertThat(client.ask("DELETE", "/shards/a.zip", Map.of()).status()).isEqualTo(204);
        assertThat(client.get(target("text")).status()).isEqualTo(404);
    }

    private void put(byte[] bytes) throws IOException {
        try (var connection = gateway.connect()) {
            String head = client.request("PUT", "/shards/a.zip", Map.of("content-length", "" + bytes.length));
            assertThat(connection
                            .send(head + new String(bytes, StandardCharsets.ISO_8859_1))
                            .status())
                    .isEqualTo(200);
        }
    }

    /** Of so small a member nothing was sent before it was compared. */
    @ParameterizedTest
    @CsvSource({"16, 1", "24, 1", "24, -1", "24, 100000000"})
    @Promise("D4")
    void lieAboutASmallMemberIsAnError(int field, int more) throws IOException {
        store(lying(TestArchive.of("one"), field, more));

        for (int attempt = 0; attempt < 2; attempt++) {
            Response response = client.get(target("one"));

            assertThat(response.status()).isEqualTo(422);
            assertThat(response.element("Code")).isEqualTo("InvalidArchive");
            assertThat(response.element("Message")).contains("byte 0");
        }
        Polling.until("no fill runs", () -> cache.administration().stats().fills() == 0);
        assertThat(cache.administration().stats().records())
                .as("the shard's block alone")
                .isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Promise("D4")
    void lieAboutALargeMemberBreaksTheConnection(boolean cached) throws IOException {
        store(lying(new TestArchive(Map.of("large", content("deep/er/large"))), CRC, 1));
        if (!cached) {
            gateway.close();
            startGateway(builder());
        }

        for (int attempt = 0; attempt < 2; attempt++) {
            Response response = client.get(target("large"));

            // The first of it was sent before all was compared, if the client was fast.
            assertThat(response.status()).isIn(200, 422);
            assertThat(response.bytes()).hasSizeLessThan(3_300_000);
        }
    }

    @Test
    void emptyMemberWithAChecksumIsAnError() throws IOException {
        store(lying(new TestArchive(Map.of("one", new byte[0])), CRC, 1));

        assertThat(client.get(target("one")).status()).isEqualTo(422);
    }

    @Test
    void tooLargeMemberIsRefusedWithARemedy() throws IOException {
        store(lying(TestArchive.of("one"), SIZE, 1 << 30));

        Response response = client.get(target("one"));

        assertThat(response.status()).isEqualTo(501);
        assertThat(response.element("Message")).contains("zip -0");
        assertThat(client.head(target("one")).status()).isEqualTo(501);
    }

    @Test
    void membersThatAreCompressedOtherwiseAreHidden() throws IOException {
        store(lying(TestArchive.of("one", "two"), METHOD, 4));

        assertThat(client.get(target("one")).status()).isEqualTo(404);
        assertThat(client.get(target("two")).bytes()).isEqualTo("content of two".getBytes(StandardCharsets.UTF_8));
    }

    /** Returns a zip with a number of the first entry of its directory increased. */
    private static byte[] lying(TestArchive files, int field, int more) throws IOException {
        byte[] zip = files.zip(ZipEntry.DEFLATED);
        ByteBuffer bytes = ByteBuffer.wrap(zip).order(ByteOrder.LITTLE_ENDIAN);
        int directory = bytes.getInt(zip.length - 22 + 16);
        if (field < CRC) {
            bytes.putShort(directory + field, (short) (bytes.getShort(directory + field) + more));
        } else {
            bytes.putInt(directory + field, bytes.getInt(directory + field) + more);
        }
        return zip;
    }
}
