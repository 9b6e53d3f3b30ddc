package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.cache.disk.BrokenFiles;
import io.millrace.cache.disk.DiskUnavailableException;
import io.millrace.cache.disk.HangingDisk;
import io.millrace.cache.metadata.MetadataStoreFault;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.monitor.DiskSnapshot;
import io.millrace.cache.monitor.DiskSnapshot.Condition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Signal;

/**
 * A disk that hangs, fails or is removed costs hits and a second at most: readers see no error, and other disks
 * continue.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(600)
class FailingDisksTest {
    private static final int OBJECTS = 24;
    private static final int SIZE = 300_000;
    private static final ObjectPrefix ALL = new ObjectPrefix("test", new BucketName("bucket"), "");

    @TempDir
    Path folder;

    private final List<FaultyObjectSource> sources = new ArrayList<>();

    FailingDisksTest() {
        for (int i = 0; i < OBJECTS; i++) {
            sources.add(FaultyObjectSource.sound("object-" + i, SIZE));
        }
    }

    @Test
    void hangingDiskIsBypassedAfterASecond() {
        fill();
        try (TestCache cache = open()) {
            long asked = asked();
            try (HangingDisk hanging = HangingDisk.of(cache.cache(), 0)) {
                // It hangs until the end of this: a reader that waited for it would not come to its own.
                readAll(cache);

                assertThat(asked()).isGreaterThan(asked);
                assertThat(state(cache, 0).condition()).isEqualTo(Condition.FAILING);
                assertThat(state(cache, 0).why()).isEqualTo("a read hangs");
                assertThat(state(cache, 1).condition()).isEqualTo(Condition.HEALTHY);
                Polling.until("its own reads are given up", () -> hanging.givenUp() == 8);

                // Nobody gives a read up once it is known: whoever began one now would wait until the end of this.
                readAll(cache);
            }
            await(cache, 0, Condition.HEALTHY);
            readAll(cache);
            cache.awaitIdle();
        }
    }

    @Test
    void findsAndScansMetadataWhileADiskHangs() throws InterruptedException {
        fill();
        try (TestCache cache = open()) {
            try (HangingDisk unused = HangingDisk.unnoticed(cache.cache(), 0)) {
                assertThat(heads(cache)).hasSize(OBJECTS).noneMatch(ObjectMetadata::mustRevalidate);
                assertThat(cache.cache()
                                .inventory()
                                .scan(ALL, Optional.empty())
                                .count()
                                .block(Duration.ofSeconds(60)))
                        .isEqualTo(OBJECTS);
            }
            await(cache, 0, Condition.HEALTHY);
        }
    }

    @Promise("R8")
    @Test
    void observesListingsWhileADiskHangs() {
        fill();
        try (TestCache cache = open()) {
            try (HangingDisk unused = HangingDisk.of(cache.cache(), 0)) {
                sources.subList(0, OBJECTS / 2).forEach(source -> observe(cache, source, "another"));
                await(cache, 0, Condition.FAILING);
                sources.subList(OBJECTS / 2, OBJECTS).forEach(source -> observe(cache, source, "another"));
                Polling.until("all is forgotten", () -> heads(cache).isEmpty());
            }
        }
    }

    @Promise("R8")
    @Test
    void observesListingsWhileTheMetadataStoreHangs() throws InterruptedException {
        fill();
        try (TestCache cache = open()) {
            try (MetadataStoreFault unused = MetadataStoreFault.hanging(cache.cache())) {
                sources.subList(0, OBJECTS / 2).forEach(source -> observe(cache, source, "another"));
                awaitMetadataStore(cache, false);
                sources.subList(OBJECTS / 2, OBJECTS).forEach(source -> observe(cache, source, "another"));
                Polling.holdsFor(
                        Duration.ofMillis(100),
                        () -> !cache.cache().administration().metadataStats().healthy());
            }
            awaitMetadataStore(cache, true);
            Polling.until("all is forgotten", () -> heads(cache).isEmpty());
        }
    }

    @Test
    void hangingMetadataStoreIsBypassedAfterASecond() throws InterruptedException {
        fill();
        try (TestCache cache = open()) {
            try (MetadataStoreFault unused = MetadataStoreFault.hanging(cache.cache())) {
                // It hangs until the end of this: a reader that waited for it would not come to its own.
                readAll(cache);
                assertThat(cache.cache().reader().find(TestCache.id("unknown")).blockOptional(Duration.ofSeconds(60)))
                        .isEmpty();
                readAll(cache);
                assertThat(cache.cache().administration().metadataStats().healthy())
                        .isFalse();
            }
            cache.awaitIdle();
        }
    }

    @Test
    void scanFailsIfTheMetadataStoreHangsOrFails() throws Exception {
        fill();
        try (TestCache cache = open()) {
            try (MetadataStoreFault unused = MetadataStoreFault.hanging(cache.cache())) {
                assertThatThrownBy(() -> cache.cache()
                                .inventory()
                                .scan(ALL, Optional.empty())
                                .count()
                                .block(Duration.ofSeconds(60)))
                        .hasCauseInstanceOf(IOException.class)
                        .hasMessageContaining("the metadata store");
            }
            awaitMetadataStore(cache, true);
            assertThat(cache.cache()
                            .inventory()
                            .scan(ALL, Optional.empty())
                            .count()
                            .block(Duration.ofSeconds(60)))
                    .isEqualTo(OBJECTS);
            MetadataStoreFault.fail(cache.cache());
            assertThatThrownBy(() -> cache.cache()
                            .inventory()
                            .scan(ALL, Optional.empty())
                            .count()
                            .block(Duration.ofSeconds(60)))
                    .hasCauseInstanceOf(IOException.class)
                    .hasMessageContaining("the metadata store");
        }
    }

    @Test
    void bypassesAndProbesDiskWithReadErrors() throws IOException {
        fill();
        try (TestCache cache = open()) {
            // Until this is gone no probe passes, so that the disk is not used again before the test has looked.
            Path inTheWay = Files.createDirectory(folder.resolve("disk-0").resolve("probe"));
            BrokenFiles.of(cache.cache(), 0);

            readAll(cache);

            assertThat(state(cache, 0).condition()).isEqualTo(Condition.FAILING);
            assertThat(state(cache, 0).why()).startsWith("reads fail: ");
            assertThat(state(cache, 1).condition()).isEqualTo(Condition.HEALTHY);
            Files.delete(inTheWay);
            await(cache, 0, Condition.HEALTHY);
            readAll(cache);
            cache.awaitIdle();
        }
    }

    @Test
    void removedDiskIsLostAndNotWrittenTo() throws IOException {
        fill();
        Path disk = folder.resolve("disk-0");
        try (TestCache cache = open()) {
            long records = cache.cache().administration().stats().records();
            Files.move(disk, folder.resolve("away"));
            Files.createDirectory(disk);

            await(cache, 0, Condition.LOST);
            readAll(cache);

            assertThat(state(cache, 0).why()).isEqualTo("its superblock millrace.disk is gone");
            Polling.until("its segments are gone", () -> state(cache, 0).segments() == 0);
            assertThat(cache.cache().administration().stats().records()).isLessThanOrEqualTo(records);
            long asked = asked();
            readAll(cache);
            assertThat(asked()).as("the other disk has taken all").isEqualTo(asked);
            cache.awaitIdle();
        }
        assertThat(disk).isEmptyDirectory();
    }

    @Test
    void operatorReattachesLostDiskWithItsBlocks() throws IOException {
        fill();
        Path disk = folder.resolve("disk-0");
        Path away = folder.resolve("away");
        try (TestCache cache = open()) {
            assertThatThrownBy(() -> cache.cache().administration().returnDisk(0))
                    .hasMessageEndingWith("is not lost");
            Files.move(disk, away);
            await(cache, 0, Condition.LOST);
            assertThat(state(cache, 0).limit()).isZero();
            assertThatThrownBy(() -> cache.cache().administration().returnDisk(0))
                    .hasMessageContaining("is its disk mounted?");
            List<ObjectMetadata> heads = heads(cache);
            assertThat(heads).as("lost blocks cost no metadata").hasSize(OBJECTS);
            assertThat(heads).anyMatch(head -> cache.cache().inventory().residentBytes(head) < SIZE);

            Files.move(away, disk);
            // Longer than the watchdog's period.
            Polling.holdsFor(Duration.ofMillis(2500), () -> state(cache, 0).condition() == Condition.LOST);
            cache.cache().administration().returnDisk(0);

            assertThat(state(cache, 0).condition()).isEqualTo(Condition.HEALTHY);
            assertThat(state(cache, 0).limit()).isPositive();
            assertThat(heads(cache)).hasSize(OBJECTS).noneMatch(ObjectMetadata::mustRevalidate);
            long asked = asked();
            readAll(cache);
            assertThat(asked()).isEqualTo(asked);
        }
    }

    @Test
    void restartWithReturnedDiskKeepsItsBlocks() throws IOException {
        fill();
        Path disk = folder.resolve("disk-0");
        Path away = folder.resolve("away");
        try (TestCache cache = open()) {
            Files.move(disk, away);
            await(cache, 0, Condition.LOST);
        }
        Files.move(away, disk);
        try (TestCache cache = open()) {
            assertThat(state(cache, 0).condition()).isEqualTo(Condition.HEALTHY);
            assertThat(heads(cache)).hasSize(OBJECTS).noneMatch(ObjectMetadata::mustRevalidate);
            long asked = asked();
            readAll(cache);
            assertThat(asked()).isEqualTo(asked);
        }
    }

    /** A verification must not count an unreadable block as correct. */
    @Test
    void distinguishesUnreadableFromAbsentBlocks() {
        fill();
        try (TestCache cache = open()) {
            ObjectMetadata head = heads(cache).get(0);
            BrokenFiles.of(cache.cache());

            assertThat(cache.cache().inventory().hashBlock(head, 0).block(Duration.ofSeconds(60)))
                    .isInstanceOf(BlockHashResult.Unreadable.class);
            assertThat(cache.cache().inventory().containsBlock(head, 0)).isFalse();
            assertThat(cache.cache().inventory().hashBlock(head, 0).blockOptional(Duration.ofSeconds(60)))
                    .isEmpty();
        }
    }

    @Test
    void hashingBlocksOfAHangingDiskFails() {
        fill();
        try (TestCache cache = open()) {
            List<ObjectMetadata> heads = heads(cache);
            try (HangingDisk hanging = HangingDisk.of(cache.cache(), 0)) {
                List<Signal<BlockHashResult>> first = digests(cache, heads);
                await(cache, 0, Condition.FAILING);
                List<Signal<BlockHashResult>> then = digests(cache, heads);

                for (List<Signal<BlockHashResult>> round : List.of(first, then)) {
                    assertThat(round).noneMatch(Signal::isOnComplete).anyMatch(Signal::isOnNext);
                    assertThat(round.stream().filter(Signal::isOnError))
                            .isNotEmpty()
                            .allSatisfy(failed -> assertThat(failed.getThrowable())
                                    .isInstanceOf(DiskUnavailableException.class)
                                    .hasMessageContaining(
                                            "the cache folder " + folder.resolve("disk-0") + " cannot be read now"));
                }
                Polling.until("its own reads are given up", () -> hanging.givenUp() == 8);
                assertThat(heads).allMatch(head -> cache.cache().inventory().containsBlock(head, 0));
            }
        }
    }

    private static List<Signal<BlockHashResult>> digests(TestCache cache, List<ObjectMetadata> heads) {
        return Flux.fromIterable(heads)
                .flatMapSequential(
                        head -> cache.cache().inventory().hashBlock(head, 0).materialize(), OBJECTS)
                .collectList()
                .blockOptional(Duration.ofSeconds(60))
                .orElseThrow();
    }

    private void fill() {
        try (TestCache cache = open()) {
            readAll(cache);
            cache.awaitIdle();
            assertThat(state(cache, 0).used()).isPositive();
            assertThat(state(cache, 1).used()).isPositive();
        }
    }

    private void readAll(TestCache cache) {
        List<VerifyingReader> readers = new ArrayList<>();
        for (FaultyObjectSource source : sources) {
            VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
            cache.read(source.name(), source).subscribe(reader);
            readers.add(reader);
        }
        readers.forEach(reader -> reader.await(SIZE));
    }

    /** As a list does. */
    private static void observe(TestCache cache, FaultyObjectSource source, String tag) {
        cache.cache().writeFence().observe(TestCache.id(source.name()), Optional.of(ETag.strong(tag)), SIZE);
    }

    private List<ObjectMetadata> heads(TestCache cache) {
        return sources.stream()
                .flatMap(
                        source -> cache
                                .cache()
                                .reader()
                                .find(TestCache.id(source.name()))
                                .blockOptional(Duration.ofSeconds(60))
                                .stream())
                .toList();
    }

    private long asked() {
        return sources.stream().mapToLong(source -> source.asked().size()).sum();
    }

    private static DiskSnapshot state(TestCache cache, int disk) {
        return cache.cache().administration().disks().get(disk);
    }

    private static void await(TestCache cache, int disk, Condition condition) {
        Polling.until("disk is " + condition, () -> state(cache, disk).condition() == condition);
    }

    private static void awaitMetadataStore(TestCache cache, boolean healthy) {
        Polling.until(
                "healthy is " + healthy,
                () -> cache.cache().administration().metadataStats().healthy() == healthy);
    }

    private TestCache open() {
        return new TestCache(folder, "32MiB", "64MiB", "64MiB");
    }
}
