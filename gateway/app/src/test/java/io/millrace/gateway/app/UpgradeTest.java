package io.millrace.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.Sha256;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.SigningClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.RocksDB;

/**
 * Tests that this build opens what releases have left in their data folders and on cache disks, as
 * {@code .ci/upgrade/record} has recorded it, and that a cache of another format is discarded with a line in the log.
 */
@Timeout(180)
class UpgradeTest {
    private static final ApiServer.Caller ADMIN = ApiServer.ADMIN;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = "0.1.0")
    void releaseLeavesObjectsJobsAndRevocations(String version) throws Exception {
        unpack("written-by-" + version + ".zip");
        // The backend has lost its objects: what is read comes from the cache.
        Files.createDirectories(folder.resolve("objects/data"));
        Files.createDirectories(folder.resolve("objects/copies"));
        try (Gateway gateway = start()) {
            Polling.within(Duration.ofMinutes(1))
                    .until(() -> api(gateway, "/disks").contains("\"state\":\"healthy\""));
            for (String line : Files.readAllLines(folder.resolve("expected"))) {
                String key = line.substring(line.indexOf(' ')).strip();
                RawClient.Response response = get(gateway, ADMIN, key);
                assertThat(response.status()).as(key).isEqualTo(200);
                assertThat(response.headers().get("cache-status")).as(key).startsWith("millrace; hit");
                assertThat(Sha256.hex(response.bytes())).as(key).isEqualTo(line.substring(0, line.indexOf(' ')));
            }
            assertThat(api(gateway, "/jobs"))
                    .contains("\"state\":\"paused\"", "\"state\":\"done\"")
                    .contains("\"kind\":\"copy\"", "\"kind\":\"prefetch\"");
            assertThat(get(gateway, ApiServer.ALICE, "small").status()).isEqualTo(403);
            assertThat(api(gateway, "/revocations")).contains("alice");
        }
    }

    @Test
    void cacheOfAnOlderFormatIsDiscardedWithOneLine() throws Exception {
        unpack("written-by-0.1.0.zip");
        List<Path> segments = segments();
        for (Path segment : segments) {
            markAsOlder(segment);
        }
        assertDiscarded("3 segments in the cache folder " + folder.resolve("cache") + " have an older format");
        assertThat(segments).noneMatch(Files::exists);
    }

    @Test
    void metadataOfAnotherFormatIsDiscardedWithOneLine() throws Exception {
        unpack("written-by-0.1.0.zip");
        Path metadata = folder.resolve("data/metadata");
        byte[] run = {0, 0};
        try (RocksDB store = RocksDB.open(metadata.toString())) {
            byte[] mark = Arrays.copyOf(store.get(run), Long.BYTES + 1);
            mark[Long.BYTES] = 0; // of no format
            store.put(run, mark);
        }
        assertDiscarded("The metadata store " + metadata + " is discarded and starts empty");
    }

    /** Starts on what is unpacked, and reads what the backend has now, first from there and then from the cache. */
    private void assertDiscarded(String line) throws Exception {
        Path bucket = folder.resolve("objects/data");
        List<String> keys = List.of("small", "folder ü/large");
        for (String key : keys) {
            Files.createDirectories(bucket.resolve(key).getParent());
            Files.writeString(bucket.resolve(key), "now at the backend: " + key);
        }
        Files.createDirectories(folder.resolve("objects/copies"));
        String log = consoleOf(() -> {
            try (Gateway gateway = start()) {
                Polling.within(Duration.ofMinutes(1))
                        .until(() -> api(gateway, "/disks").contains("\"state\":\"healthy\""));
                for (String key : keys) {
                    assertThat(get(gateway, ADMIN, key).text()).isEqualTo("now at the backend: " + key);
                    Polling.within(Duration.ofMinutes(1)).until(() -> isHit(get(gateway, ADMIN, key)));
                }
            }
        });
        assertThat(log).containsOnlyOnce(line);
    }

    /** An appender would not do: a start replaces those of the log. */
    private static String consoleOf(ThrowingCallable work) throws Exception {
        PrintStream console = System.out;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try {
            work.call();
        } catch (Throwable e) {
            throw new AssertionError(captured.toString(StandardCharsets.UTF_8), e);
        } finally {
            System.setOut(console);
        }
        return captured.toString(StandardCharsets.UTF_8);
    }

    private static boolean isHit(RawClient.Response response) {
        return response.headers().getOrDefault("cache-status", "").startsWith("millrace; hit");
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("cache"))) {
            return files.filter(file -> file.toString().endsWith(".seg")).toList();
        }
    }

    /** Lowers the format in the header of a segment, whose checksum is of the header with this field 0. */
    private static void markAsOlder(Path segment) throws IOException {
        byte[] bytes = Files.readAllBytes(segment);
        ByteBuffer header = ByteBuffer.wrap(bytes, 0, 64).slice().order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(8, header.getInt(8) - 1).putInt(12, 0);
        CRC32C checksum = new CRC32C();
        checksum.update(header.duplicate());
        header.putInt(12, (int) checksum.getValue());
        Files.write(segment, bytes);
    }

    private void unpack(String resource) throws IOException {
        InputStream recording = Objects.requireNonNull(getClass().getResourceAsStream(resource), resource);
        try (ZipInputStream zip = new ZipInputStream(recording)) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                Path file = folder.resolve(entry.getName());
                Files.createDirectories(file.getParent());
                Files.copy(zip, file);
            }
        }
    }

    private Gateway start() throws Exception {
        Map<String, String> ports = Map.of("MILLRACE_S3_PORT", "0", "MILLRACE_ADMIN_PORT", "0");
        return Gateway.start(
                SettingsLoader.ofFile(folder.resolve("millrace.yaml"), ports, MachineChecks.inThisProcess()));
    }

    private static RawClient.Response get(Gateway gateway, ApiServer.Caller caller, String key) throws IOException {
        String path = URLEncoder.encode(key, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace("%2F", "/");
        return new SigningClient(() -> new RawClient(gateway.s3Port()), Optional.of(ReloadFixture.signer(caller)))
                .get("/data/" + path);
    }

    private static String api(Gateway gateway, String path) throws Exception {
        return ApiServer.send(HttpRequest.newBuilder(
                                URI.create("http://127.0.0.1:" + gateway.adminPort() + ApiServer.API + path))
                        .header("authorization", "Bearer " + ADMIN.token())
                        .build())
                .text();
    }
}
