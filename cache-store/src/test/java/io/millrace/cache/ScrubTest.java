package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.cache.disk.DamageUnderWay;
import io.millrace.cache.disk.DiskScrubStatus;
import io.millrace.cache.metadata.ObjectMetadata;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The scrub verifies blocks that nobody reads: it finds corruption that a first read missed before the next one meets
 * it.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class ScrubTest {
    private static final int OBJECTS = 40;
    private static final int SIZE = 400_000;

    @TempDir
    Path folder;

    private final List<FaultyObjectSource> sources = new ArrayList<>();

    ScrubTest() {
        for (int i = 0; i < OBJECTS; i++) {
            sources.add(FaultyObjectSource.sound("object-" + i, SIZE));
        }
    }

    @Test
    void soundRecordsStay() {
        fill();
        try (TestCache cache = open()) {
            long records = cache.cache().administration().stats().records();

            DiskScrubStatus end = scrub(cache);

            assertThat(end.bad()).isZero();
            assertThat(end.lastBad()).isEmpty();
            assertThat(end.records()).isEqualTo(records);
            assertThat(end.bytes()).isGreaterThan((long) OBJECTS * SIZE);
            assertThat(cache.cache().administration().stats().records()).isEqualTo(records);
            assertThat(end.oldest().orElseThrow()).isAfter(Instant.now().minusSeconds(60));
        }
    }

    @ParameterizedTest
    @EnumSource(DamageUnderWay.Kind.class)
    void scrubFindsLaterDamage(DamageUnderWay.Kind kind) throws IOException {
        fill();
        try (TestCache cache = open()) {
            sources.forEach(source -> read(cache, source));
            Random random = new Random(7);
            int damaged = 0;
            for (int i = 0; i + 1 < OBJECTS; i += 2) {
                boolean hit = DamageUnderWay.of(cache.cache(), random).with(kind, head(cache, i), head(cache, i + 1));
                damaged += hit ? 1 : 0;
            }
            assertThat(damaged).isPositive();

            DiskScrubStatus end = scrub(cache);

            assertThat(end.bad()).isGreaterThanOrEqualTo(damaged);
            assertThat(end.lastBad().orElseThrow())
                    .isBetween(Instant.now().minusSeconds(60), end.lastEnded().orElseThrow());
            sources.forEach(source -> read(cache, source));
            cache.awaitIdle();
        }
    }

    @Test
    void scrubTimesSurviveARestart() throws IOException {
        fill();
        FileTime longAgo = FileTime.from(Instant.now().minus(Duration.ofDays(4)));
        for (Path segment : segments()) {
            Files.setLastModifiedTime(segment, longAgo);
        }
        try (TestCache cache = open()) {
            Polling.within(Duration.ofSeconds(60))
                    .alias("it is its time")
                    .until(() -> state(cache).lastEnded().isPresent());
        }
        try (TestCache cache = open()) {
            Polling.holdsFor(Duration.ofMillis(2500), () -> state(cache).records() == 0);
        }
    }

    private void fill() {
        try (TestCache cache = open()) {
            sources.forEach(source -> read(cache, source));
            cache.awaitIdle();
        }
    }

    private static DiskScrubStatus scrub(TestCache cache) {
        assertThat(cache.cache().administration().scrub(0)).isTrue();
        Polling.within(Duration.ofMinutes(1))
                .until(() -> state(cache).lastEnded().isPresent());
        return state(cache);
    }

    private static DiskScrubStatus state(TestCache cache) {
        return cache.cache().administration().scrubs().get(0);
    }

    private ObjectMetadata head(TestCache cache, int number) {
        return cache.headNow("object-" + number, sources.get(number));
    }

    private static void read(TestCache cache, FaultyObjectSource source) {
        VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
        cache.read(source.name(), source).subscribe(reader);
        reader.await(source.size());
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("disk-0"))) {
            return files.filter(file -> file.toString().endsWith(".seg")).toList();
        }
    }

    private TestCache open() {
        return new TestCache(folder, "32MiB", "128MiB");
    }
}
