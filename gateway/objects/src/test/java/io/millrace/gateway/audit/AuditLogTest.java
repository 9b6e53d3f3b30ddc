package io.millrace.gateway.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.backend.testkit.Polling;
import io.millrace.config.DataSize;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that the audit log has a line for each event, whatever happens to its file. */
@Timeout(120)
class AuditLogTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void eventIsOneLineWhateverItsKeyHolds() throws Exception {
        Path path = folder.resolve("audit.log");
        try (AuditLog audit = open(path, 20, AuditSettings.OnFailure.REFUSE)) {
            audit.record(event("a\n{\"identity\":\"forged\"}\r\u0000\u001b[2J\u009b\u2028ü"));
            untilWritten(1);
        }

        assertThat(Files.readAllLines(path)).singleElement().satisfies(line -> {
            assertThat(line)
                    .matches("[\\x20-\\x7e]*")
                    .doesNotContain("queue", "null")
                    .containsSubsequence("{\"time\":", "\"identity\":", "\"key\":", "\"status\":");
            JsonNode written = JSON.readTree(line);
            assertThat(written.get("key").asString())
                    .isEqualTo("a\n{\"identity\":\"forged\"}\r\u0000\u001b[2J\u009b\u2028ü");
            assertThat(written.get("identity").asString()).isEqualTo("trainer");
            assertThat(written.get("time").asString()).isEqualTo("2026-01-02T03:04:05.678Z");
            assertThat(written.get("via").asString()).isEqualTo("s3");
            assertThat(written.get("decision").asString()).isEqualTo("allowed");
            assertThat(written.has("requestId")).isFalse();
        });
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
    }

    @Test
    void fileIsRenamedWhenLargeAndOldOnesAreDeleted() throws Exception {
        Path path = folder.resolve("audit.log");
        int events = 40_000;
        try (AuditLog audit = open(path, 2, AuditSettings.OnFailure.REFUSE)) {
            for (int i = 0; i < events; i++) {
                while (audit.mustRefuse()) {
                    Thread.sleep(1);
                }
                audit.record(event("k" + i));
            }
            untilWritten(events);
        }

        List<Path> files = files();
        assertThat(files).hasSize(3);
        assertThat(files).allSatisfy(file -> assertThat(Files.size(file)).isLessThan(2 << 20));
        List<Integer> keys = new ArrayList<>();
        for (Path file : files) {
            for (String line : Files.readAllLines(file)) {
                keys.add(Integer.parseInt(
                        JSON.readTree(line).get("key").asString().substring(1)));
            }
        }
        assertThat(keys).hasSizeLessThan(events).isSorted().last().isEqualTo(events - 1);
        assertThat(keys.get(keys.size() - 1) - keys.get(0)).isEqualTo(keys.size() - 1);
    }

    @Test
    void fileThatWasTakenAwayIsMadeAgain() throws Exception {
        Path path = folder.resolve("audit.log");
        try (AuditLog audit = open(path, 20, AuditSettings.OnFailure.REFUSE)) {
            audit.record(event("first"));
            Polling.until("the line is written", () -> size(path) > 0);
            Files.move(path, folder.resolve("audit.log.1"));
            audit.record(event("second"));
            untilWritten(2);
        }

        assertThat(Files.readString(folder.resolve("audit.log.1"))).contains("first");
        assertThat(Files.readString(path)).contains("second");
    }

    @Test
    void refusesWhileTheFileCannotBeWrittenAndLosesNothing() throws Exception {
        Path path = folder.resolve("gone/audit.log");
        Files.createDirectory(path.getParent());
        try (AuditLog audit = open(path, 20, AuditSettings.OnFailure.REFUSE)) {
            Files.delete(path);
            Files.delete(path.getParent());
            audit.record(event("while it fails"));
            Polling.until("it refuses", audit::mustRefuse);
            assertThat(registry.get("millrace.audit.failing").gauge().value()).isEqualTo(1);

            Files.createDirectory(path.getParent());
            Polling.until("it serves again", () -> !audit.mustRefuse());
        }

        assertThat(Files.readString(path)).contains("while it fails");
        assertThat(lost()).isZero();
    }

    @Test
    void dropsAndCountsIfSet() throws Exception {
        Path path = folder.resolve("gone/audit.log");
        Files.createDirectory(path.getParent());
        try (AuditLog audit = open(path, 20, AuditSettings.OnFailure.DROP)) {
            Files.delete(path);
            Files.delete(path.getParent());
            for (int i = 0; i < 30_000; i++) {
                audit.record(event("k" + i));
            }
            assertThat(audit.mustRefuse()).isFalse();
            assertThat(lost()).isBetween(12_000.0, 30_000.0);
        }

        Polling.until("the rest is counted", () -> lost() == 30_000);
    }

    /** A disk that is about to die takes minutes for a write: the thread of the log waits, those of requests do not. */
    @ParameterizedTest
    @EnumSource(AuditSettings.OnFailure.class)
    @Timeout(120)
    void stuckDiskHoldsUpNobody(AuditSettings.OnFailure onFailure) throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch repaired = new CountDownLatch(1);
        AtomicLong millis = new AtomicLong();
        // The log needs the time only to rename a file, in its own thread.
        InstantSource stuckOnce = () -> {
            stuck.countDown();
            try {
                repaired.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Instant.ofEpochMilli(millis.incrementAndGet());
        };
        int events = 0;
        try (AuditLog audit = open(folder.resolve("audit.log"), 20, onFailure, stuckOnce)) {
            while (!stuck.await(1, TimeUnit.MILLISECONDS)) {
                for (int i = 0; i < 500; i++) {
                    audit.record(event("k" + events++));
                }
            }
            for (int i = 0; i < 30_000; i++) {
                audit.record(event("k" + events++));
            }
            assertThat(audit.mustRefuse()).isEqualTo(onFailure == AuditSettings.OnFailure.REFUSE);
            assertThat(lost()).isPositive();
            repaired.countDown();
            int recorded = events;
            Polling.until("each is counted once", () -> lost() + written() == recorded);
            assertThat(audit.mustRefuse()).isFalse();
        }
    }

    @Test
    void deniedRequestsNeverMakeOthersBeRefused() throws Exception {
        try (AuditLog audit = open(folder.resolve("audit.log"), 20, AuditSettings.OnFailure.REFUSE)) {
            for (int i = 0; i < 50_000; i++) {
                audit.record(event("k" + i, AuditEvent.Decision.DENIED));
                assertThat(audit.mustRefuse()).isFalse();
            }
            Polling.until("each is counted once", () -> lost() + written() == 50_000);
        }

        assertThat(lost() + written()).isEqualTo(50_000);
    }

    @Test
    void logThatCannotBeWrittenIsNotOpened() {
        assertThatThrownBy(() -> open(folder.resolve("none/audit.log"), 20, AuditSettings.OnFailure.DROP))
                .isInstanceOf(IOException.class);
    }

    private AuditLog open(Path path, int keep, AuditSettings.OnFailure onFailure) throws IOException {
        AtomicLong millis = new AtomicLong();
        return open(path, keep, onFailure, () -> Instant.ofEpochMilli(millis.incrementAndGet()));
    }

    private AuditLog open(Path path, int keep, AuditSettings.OnFailure onFailure, InstantSource clock)
            throws IOException {
        LogRotationSettings rotation = new LogRotationSettings(DataSize.parse("1MiB"), keep);
        return AuditLog.open(new AuditSettings(Optional.of(path), false, rotation, onFailure), clock, registry);
    }

    /** Closing a log waits for some seconds only. */
    private void untilWritten(int events) {
        Polling.until("it is written", () -> written() == events);
    }

    private double written() {
        return registry.counter("millrace.audit.lines").count();
    }

    private double lost() {
        return registry.counter("millrace.audit.lost").count();
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

    private static long size(Path path) {
        return path.toFile().length();
    }

    private static AuditEvent event(String key) {
        return event(key, AuditEvent.Decision.ALLOWED);
    }

    private static AuditEvent event(String key, AuditEvent.Decision decision) {
        return new AuditEvent(
                Instant.parse("2026-01-02T03:04:05.678Z"),
                AuditEvent.Port.S3,
                Optional.empty(),
                Optional.of("trainer"),
                "10.0.0.7",
                Optional.of("aws-cli/2"),
                "PutObject",
                Optional.of("data"),
                Optional.of(key),
                decision,
                200,
                10,
                0);
    }
}
