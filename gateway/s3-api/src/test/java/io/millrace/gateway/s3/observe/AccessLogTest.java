package io.millrace.gateway.s3.observe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.auth.policy.RequestSource;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.Polling;
import io.millrace.config.DataSize;
import io.millrace.gateway.audit.LogRotationSettings;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import io.millrace.kit.file.LineTarget;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tests that each request is one line of the access log whatever it holds, and that no fault of the log holds up a
 * request.
 */
@Timeout(120)
class AccessLogTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final InstantSource CLOCK = () -> Instant.parse("2026-01-02T03:04:05.006789Z");
    private static final BucketName BUCKET = new BucketName("data");
    private static final int FIELDS = 20;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void textLinesHaveAllFieldsInOrder() throws Exception {
        write(AccessLogSettings.Format.TEXT, hit(), miss(), refused(), malformed());

        assertThat(lines())
                .containsExactly(
                        "2026-01-02T03:04:05.006Z R1 peer https trainer GetObject GET /data/my\\u0020file.tar 206 ok -"
                                + " hit far data bytes=0-99 0 100 12 345 \"aws-cli/2.17 md/x\"",
                        "2026-01-02T03:04:05.006Z R2 peer https trainer GetObject GET /data/k 200 ok - miss far data -"
                                + " 0 7 1000 3000 -",
                        "2026-01-02T03:04:05.006Z R3 peer https - GetObject GET /data/k 403 denied AccessDenied - -"
                                + " data - 0 243 1 2 \"curl/8\"",
                        "2026-01-02T03:04:05.006Z id peer - - - - - 400 client_error - - - - - 0 0 - 5 -");
        assertThat(lines()).allSatisfy(line -> assertThat(line.split(" ", -1)).hasSizeGreaterThanOrEqualTo(FIELDS));
    }

    @Test
    void jsonLinesHaveTheSameFieldsWithoutAbsentOnes() throws Exception {
        write(AccessLogSettings.Format.JSON, hit(), miss(), refused(), malformed());

        assertThat(lines()).containsExactly("""
                {"time":"2026-01-02T03:04:05.006Z","requestId":"R1","address":"peer","scheme":"https",\
                "identity":"trainer","operation":"GetObject","method":"GET","path":"/data/my file.tar",\
                "status":206,"outcome":"ok","cache":"hit","backend":"far","bucket":"data","range":"bytes=0-99",\
                "bytesIn":0,"bytesOut":100,"firstByteMicros":12,"totalMicros":345,\
                "userAgent":"aws-cli/2.17 md/x"}
                {"time":"2026-01-02T03:04:05.006Z","requestId":"R2","address":"peer","scheme":"https",\
                "identity":"trainer","operation":"GetObject","method":"GET","path":"/data/k","status":200,\
                "outcome":"ok","cache":"miss","backend":"far","bucket":"data","bytesIn":0,"bytesOut":7,\
                "firstByteMicros":1000,"totalMicros":3000}
                {"time":"2026-01-02T03:04:05.006Z","requestId":"R3","address":"peer","scheme":"https",\
                "operation":"GetObject","method":"GET","path":"/data/k","status":403,"outcome":"denied",\
                "error":"AccessDenied","bucket":"data","bytesIn":0,"bytesOut":243,"firstByteMicros":1,\
                "totalMicros":2,"userAgent":"curl/8"}
                {"time":"2026-01-02T03:04:05.006Z","requestId":"id","address":"peer","method":"-","status":400,\
                "outcome":"client_error","bytesIn":0,"bytesOut":0,"totalMicros":5}
                """.lines().toArray(String[]::new));
    }

    @ParameterizedTest
    @EnumSource(AccessLogSettings.Format.class)
    void noTextOfAClientForgesALineOrAField(AccessLogSettings.Format format) throws Exception {
        String forged =
                " 200 ok\n2026 x\r\u0000\u001b[2J\u009b\u2028\u00a0\u3000\u202eü\ud83d\",\"identity\":\"admin\\";
        write(
                format,
                new RecordedGet()
                        .received(
                                request("/data/k", "R", Map.of("range", forged, "user-agent", forged)),
                                "R",
                                "/data/" + forged)
                        .by("who" + forged)
                        .error(new S3Exception(400, "Backend" + forged, ""))
                        .took(1000, 2000)
                        .bucket(Optional.of(BUCKET)));

        assertThat(lines()).singleElement().satisfies(line -> {
            assertThat(line).matches("[\\x20-\\x7e]*");
            if (format == AccessLogSettings.Format.TEXT) {
                String beforeUserAgent = line.substring(0, line.indexOf(" \""));
                assertThat(beforeUserAgent.split(" ", -1)).hasSize(FIELDS - 1);
                assertThat(line.substring(beforeUserAgent.length())
                                .replace("\\\\", "")
                                .replace("\\\"", ""))
                        .matches(" \"[^\"]*\"");
            } else {
                JsonNode written = JSON.readTree(line);
                assertThat(written.get("path").asString()).isEqualTo("/data/" + forged);
                assertThat(written.get("error").asString()).isEqualTo("Backend" + forged);
                assertThat(written.get("identity").asString()).isEqualTo("who" + forged);
                assertThat(written.get("userAgent").asString()).isEqualTo(forged);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(AccessLogSettings.Format.class)
    void longFieldsAreCutAndTheLongestKeyIsNot(AccessLogSettings.Format format) throws Exception {
        String key = "/" + "b".repeat(63) + "/" + "k".repeat(1024);
        String many = "\u0001".repeat(9000);
        write(
                format,
                new RecordedGet().received(request("/data/k", "R", Map.of()), "R", key),
                new RecordedGet()
                        .received(request("/data/k", "R", Map.of("range", many, "user-agent", many)), "R", many)
                        .by(many)
                        .error(new S3Exception(400, many, "")));

        assertThat(lines()).hasSize(2);
        assertThat(lines().get(0)).contains(key);
        assertThat(lines().get(1).length()).isBetween(1100, 12_000);
    }

    @Test
    void fileIsRenamedWhenLargeAndOldOnesAreDeleted() throws Exception {
        int requests = 60_000;
        AtomicLong millis = new AtomicLong();
        AccessLogSettings settings = settings(AccessLogSettings.Format.TEXT, Optional.of(path()));
        try (AccessLog log = AccessLog.open(settings, () -> Instant.ofEpochMilli(millis.incrementAndGet()), registry)) {
            AccessRecorder recorder = new AccessRecorder(log, name -> Optional.empty(), CLOCK);
            for (int i = 0; i < requests; i++) {
                recorder.ended(get("R" + i).build());
                if (i % 1000 == 999) {
                    int sent = i + 1;
                    Polling.until("they are written", () -> written() == sent);
                }
            }
        }

        assertThat(lost()).isZero();
        assertThat(files()).hasSize(3);
        List<Integer> ids = new ArrayList<>();
        for (Path file : files()) {
            assertThat(Files.size(file)).isLessThan(2 << 20);
            Files.readAllLines(file).forEach(line -> ids.add(Integer.parseInt(line.split(" ", 3)[1].substring(1))));
        }
        assertThat(ids).hasSizeLessThan(requests).isSorted().last().isEqualTo(requests - 1);
        assertThat(ids.get(ids.size() - 1) - ids.get(0)).isEqualTo(ids.size() - 1);
    }

    @Test
    void stuckTargetHoldsUpNobodyAndWhatFindsNoRoomIsCounted() throws Exception {
        CountDownLatch repaired = new CountDownLatch(1);
        LineTarget stuck = new LineTarget() {
            @Override
            public void append(byte[] lines) {
                try {
                    repaired.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public void close() {}
        };
        int requests = 30_000;
        try (AccessLog log =
                AccessLog.open(settings(AccessLogSettings.Format.JSON, Optional.of(path())), stuck, registry)) {
            AccessRecorder recorder = new AccessRecorder(log, name -> Optional.empty(), CLOCK);
            for (int i = 0; i < requests; i++) {
                recorder.ended(get("R" + i).build());
            }
            assertThat(lost()).isBetween(12_000.0, 14_000.0);
            repaired.countDown();
            Polling.until("each is counted once", () -> lost() + written() == requests);
        }
    }

    @Test
    void fileThatVanishesWithItsFolderIsMadeAgainAndLosesNothing() throws Exception {
        Path path = folder.resolve("gone/access.log");
        Files.createDirectory(path.getParent());
        try (AccessLog log =
                AccessLog.open(settings(AccessLogSettings.Format.TEXT, Optional.of(path)), CLOCK, registry)) {
            AccessRecorder recorder = new AccessRecorder(log, name -> Optional.empty(), CLOCK);
            Files.delete(path);
            Files.delete(path.getParent());
            recorder.ended(get("while-it-fails").build());
            Polling.until(
                    "it fails",
                    () -> registry.get("millrace.access.log.failing").gauge().value() == 1);

            Files.createDirectory(path.getParent());
            Polling.until("it is written", () -> written() == 1);
            assertThat(registry.get("millrace.access.log.failing").gauge().value())
                    .isZero();
        }

        assertThat(Files.readString(path)).contains("while-it-fails");
        assertThat(lost()).isZero();
    }

    @Test
    void fileThatCannotBeWrittenIsNotOpened() {
        AccessLogSettings settings =
                settings(AccessLogSettings.Format.TEXT, Optional.of(folder.resolve("none/access.log")));

        assertThatThrownBy(() -> AccessLog.open(settings, CLOCK, registry)).isInstanceOf(IOException.class);
    }

    @Test
    void linesGoToStandardOutputWithoutAPathOrWithADash() throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        System.setOut(new PrintStream(out, false, UTF_8));
        try {
            for (Optional<Path> none : List.of(Optional.<Path>empty(), Optional.of(folder.resolve("-")))) {
                try (AccessLog log = AccessLog.open(settings(AccessLogSettings.Format.TEXT, none), CLOCK, registry)) {
                    new AccessRecorder(log, name -> Optional.empty(), CLOCK).ended(get("R").build());
                }
            }
        } finally {
            System.setOut(before);
        }

        assertThat(out.toString(UTF_8).lines()).hasSize(2).allMatch(line -> line.startsWith("2026-01-02"));
        assertThat(files()).isEmpty();
    }

    private static RecordedGet hit() {
        return get("R1", "/data/my file.tar", Map.of("range", "bytes=0-99", "user-agent", "aws-cli/2.17 md/x"))
                .by("trainer")
                .ended(206, OutcomeCategory.OK)
                .took(12_345, 345_678)
                .sent(100)
                .cache(Optional.of(CacheResult.HIT))
                .bucket(Optional.of(BUCKET));
    }

    private static RecordedGet miss() {
        return get("R2", "/data/k", Map.of())
                .by("trainer")
                .took(1_000_000, 3_000_000)
                .sent(7)
                .cache(Optional.of(CacheResult.MISS))
                .bucket(Optional.of(BUCKET));
    }

    private static RecordedGet refused() {
        return get("R3", "/data/k", Map.of("user-agent", "curl/8"))
                .admitted(false)
                .by("")
                .ended(403, OutcomeCategory.DENIED)
                .error(new S3Exception(S3ErrorCode.ACCESS_DENIED))
                .took(1000, 2000)
                .sent(243);
    }

    private static RecordedGet malformed() {
        return new RecordedGet()
                .malformed()
                .ended(400, OutcomeCategory.CLIENT_ERROR)
                .took(-1, 5000);
    }

    private static RecordedGet get(String id) {
        return get(id, "/data/k", Map.of());
    }

    private static RecordedGet get(String id, String path, Map<String, String> headers) {
        return new RecordedGet().received(request(path.replace(" ", "%20"), id, headers), id, path);
    }

    private static S3Request request(String target, String id, Map<String, String> headers) {
        RequestHeaders sent = new RequestHeaders() {
            @Override
            public List<String> all(String name) {
                return Stream.ofNullable(headers.get(name)).toList();
            }

            @Override
            public List<String> names() {
                return List.copyOf(headers.keySet());
            }
        };
        return new S3Request(
                "GET",
                RequestTarget.parse(target, Optional.empty()),
                sent,
                UnverifiedRequestBody.NONE,
                id,
                RequestSource.INTERNAL);
    }

    /** Writes requests and closes the log, which writes its last lines. */
    private void write(AccessLogSettings.Format format, RecordedGet... requests) throws Exception {
        try (AccessLog log = AccessLog.open(settings(format, Optional.of(path())), CLOCK, registry)) {
            AccessRecorder recorder = new AccessRecorder(log, name -> Optional.of("far"), CLOCK);
            for (RecordedGet request : requests) {
                recorder.ended(request.build());
            }
        }
    }

    private static AccessLogSettings settings(AccessLogSettings.Format format, Optional<Path> path) {
        return new AccessLogSettings(path, format, new LogRotationSettings(DataSize.parse("1MiB"), 2));
    }

    private Path path() {
        return folder.resolve("access.log");
    }

    private List<String> lines() throws IOException {
        return Files.readAllLines(path());
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            // Renamed files come in the order of their times, the current one is the last.
            return files.sorted((one, other) -> one.toString()
                            .replace(".log", "~")
                            .compareTo(other.toString().replace(".log", "~")))
                    .toList();
        }
    }

    private double written() {
        return registry.counter("millrace.access.log.lines").count();
    }

    private double lost() {
        return registry.counter("millrace.access.log.lost").count();
    }
}
