package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.cache.metadata.MetadataStoreFault;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An object invalidated by prefix is revalidated before use: by every later read, after a kill or a power loss, and
 * while the metadata store hangs or has failed.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class InvalidationTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int KEYS = 40;

    @TempDir
    Path folder;

    private final Deque<Runnable> steps = new ArrayDeque<>();
    private final ScheduledObject object = new ScheduledObject("train/key", steps::add);
    private final ObjectId id = TestCache.id("train/key");
    private TestCache cache;

    @BeforeEach
    void start() {
        cache = open("cache", 2);
    }

    @AfterEach
    void stop() {
        stepAll();
        cache.awaitIdle();
        cache.close();
    }

    @Promise("I1")
    @Test
    void invalidatesMetadataBelowThePrefixOnly() {
        fill();

        invalidate("train/");

        assertDoubted(cache, true);
        reopen(2);
        assertDoubted(cache, true);
    }

    @Promise("I2")
    @Test
    void itHoldsAfterAKill() {
        fill();
        invalidate("train/");

        try (TestCache killed = openCopy(2)) {
            assertDoubted(killed, true);
        }
    }

    @Promise("I2")
    @Test
    void itHoldsOnADiskThatWasAway() {
        fill();
        reopen(1);
        invalidate("train/");
        reopen(2);

        assertDoubted(cache, false);
        reopen(2);
        assertDoubted(cache, false);
    }

    /** The metadata store loses all that it was told since the fills. */
    @Promise("I2")
    @Test
    void itHoldsAfterAPowerLoss() throws IOException {
        fill();
        SimulatedPowerLoss loss =
                SimulatedPowerLoss.afterAllIsWritten(folder.resolve("cache"), folder.resolve("written"));
        invalidate("train/");

        Path unused = loss.happens(folder.resolve("killed"));
        try (TestCache found = open("killed", 2)) {
            assertDoubted(found, false);
            assertThat(found.cache().reader().find(TestCache.id("train/3")).block(PATIENCE))
                    .as("what the store had when all was written")
                    .isNotNull();
        }
    }

    @Promise("I2")
    @Test
    void holdsIfTheMetadataStoreIsRestored() throws IOException {
        fill();
        reopen(2);
        Path before = FolderSnapshot.folder(folder.resolve("cache/data/metadata"), folder.resolve("before"));
        invalidate("train/");
        cache.awaitIdle();
        cache.close();
        Path store = folder.resolve("cache/data/metadata");
        SimulatedPowerLoss.empty(store);
        FolderSnapshot.folder(before, store);
        cache = open("cache", 2);

        assertDoubted(cache, false);
    }

    @Promise("I2")
    @Test
    void holdsIfTheMetadataStoreHangs() throws InterruptedException {
        fill();
        try (MetadataStoreFault unused = MetadataStoreFault.hanging(cache.cache())) {
            invalidate("train/");
            assertDoubted(cache, false);
            try (TestCache killed = openCopy(2)) {
                assertDoubted(killed, false);
            }
        }
        Polling.until(
                "it is healthy",
                () -> cache.cache().administration().metadataStats().healthy());
        assertDoubted(cache, false);
    }

    @Promise("I2")
    @Test
    void holdsIfTheMetadataStoreFails() throws IOException {
        fill();
        MetadataStoreFault.fail(cache.cache());
        invalidate("train/");

        assertDoubted(cache, false);
        try (TestCache killed = openCopy(2)) {
            assertDoubted(killed, false);
        }
        reopen(2);
        assertDoubted(cache, false);
    }

    @Promise("I2")
    @Test
    void itFailsWhereNothingTakesIt() throws IOException {
        fill();
        MetadataStoreFault.fail(cache.cache());
        try (RemovedFolders unused = RemovedFolders.of(folder.resolve("cache"), "data", "disk-0", "disk-1")) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> invalidate("train/")).hasCauseInstanceOf(IOException.class);
            }
            assertDoubted(cache, false);
        }
        invalidate("train/");
        try (TestCache killed = openCopy(2)) {
            assertDoubted(killed, false);
        }
    }

    @Promise("I3")
    @Test
    void anyNumberOfPrefixesCanBeInvalidated() {
        fill();
        for (int i = 0; i < 3000; i++) {
            invalidate("elsewhere-%d/".formatted(i));
        }
        invalidate("train/1");

        assertThat(isBelieved(cache, "train/1")).isFalse();
        assertThat(isBelieved(cache, "train/12")).isFalse();
        assertThat(isBelieved(cache, "train/2")).isTrue();
        assertThat(IntStream.range(0, KEYS)).allMatch(i -> isBelieved(cache, "test/" + i));
    }

    @Test
    void revalidatedMetadataStaysFreshAfterARestart() {
        fill();
        invalidate("");

        FaultyObjectSource source = FaultyObjectSource.sound("train/3", 1000);
        cache.cache().reader().revalidate(TestCache.id("train/3"), true, source).block(PATIENCE);
        assertThat(isBelieved(cache, "train/3")).isTrue();
        reopen(2);

        assertThat(isBelieved(cache, "train/3")).isTrue();
        assertThat(isBelieved(cache, "train/4")).isFalse();
    }

    @Test
    void theBlocksOfWhatIsInvalidatedStay() {
        fill();
        invalidate("");

        FaultyObjectSource source = FaultyObjectSource.sound("train/3", 1000);
        ObjectMetadata requested = Objects.requireNonNull(cache.cache()
                .reader()
                .revalidate(TestCache.id("train/3"), true, source)
                .block(PATIENCE));

        assertThat(cache.cache().inventory().residentBytes(requested)).isEqualTo(1000);
    }

    @Promise("I1")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void earlierResponseIsNotPublished(boolean opening) {
        overwrite();
        AtomicReference<ObjectMetadata> reported = cache.ask(id, opening, object);
        step(); // the question is answered, the answer is on its way
        overwrite();
        invalidate("train/");

        stepAll();

        assertThat(ScheduledObject.numberOf(
                        Objects.requireNonNull(reported.get()).head()))
                .isEqualTo(1);
        assertThat(isBelieved(cache, "train/key")).isFalse();
        cache.awaitIdle();
        reopen(2);
        assertThat(isBelieved(cache, "train/key")).isFalse();
    }

    @Promise("I1")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void laterReaderSendsItsOwnRequest(boolean opening) {
        overwrite();
        AtomicReference<ObjectMetadata> before = cache.ask(id, opening, object);
        step();
        Deque<Runnable> held = new ArrayDeque<>(steps);
        steps.clear();
        overwrite();
        invalidate("train/");

        AtomicReference<ObjectMetadata> behind = cache.ask(id, opening, object);
        stepAll();

        assertThat(ScheduledObject.numberOf(Objects.requireNonNull(behind.get()).head()))
                .isEqualTo(2);
        steps.addAll(held);
        stepAll();
        assertThat(ScheduledObject.numberOf(Objects.requireNonNull(before.get()).head()))
                .isEqualTo(1);
        assertThat(isBelieved(cache, "train/key")).isTrue();
    }

    @Test
    void absenceIsNotRememberedAcrossAnInvalidation() {
        WriteFence.Fence fence = cache.cache().writeFence().fence(id);
        WriteFence.Fence other = cache.cache()
                .writeFence()
                .fence(ObjectId.current("elsewhere", TestCache.id("train/key").object()));

        invalidate("train/");

        assertThat(fence.isCurrent()).isFalse();
        assertThat(other.isCurrent()).isTrue();
    }

    private void fill() {
        for (int i = 0; i < KEYS; i++) {
            for (String key : new String[] {"train/" + i, "test/" + i}) {
                cache.read(key, FaultyObjectSource.sound(key, 1000))
                        .doOnNext(piece -> piece.release())
                        .blockLast(PATIENCE);
            }
        }
        cache.awaitIdle();
    }

    private static void assertDoubted(TestCache now, boolean othersBelieved) {
        assertThat(IntStream.range(0, KEYS)).noneMatch(i -> isBelieved(now, "train/" + i));
        if (othersBelieved) {
            assertThat(IntStream.range(0, KEYS)).allMatch(i -> isBelieved(now, "test/" + i));
        }
    }

    private static boolean isBelieved(TestCache now, String key) {
        @Nullable ObjectMetadata head = now.cache().reader().find(TestCache.id(key)).block(PATIENCE);
        return head != null && !head.mustRevalidate();
    }

    private void invalidate(String prefix) {
        cache.cache()
                .writeFence()
                .invalidate(new ObjectPrefix("test", new BucketName("bucket"), prefix))
                .block(PATIENCE);
    }

    /** Somebody else writes, with his own requests before all others. */
    private void overwrite() {
        Deque<Runnable> held = new ArrayDeque<>(steps);
        steps.clear();
        object.write(1000).subscribe();
        stepAll();
        steps.addAll(held);
    }

    private void step() {
        Runnable next = steps.poll();
        if (next != null) {
            next.run();
        }
    }

    private void stepAll() {
        while (!steps.isEmpty()) {
            step();
        }
    }

    private void reopen(int disks) {
        cache.awaitIdle();
        cache.close();
        cache = open("cache", disks);
    }

    private TestCache openCopy(int disks) {
        FolderSnapshot.folder(folder.resolve("cache"), folder.resolve("killed"));
        return open("killed", disks);
    }

    private TestCache open(String name, int disks) {
        String[] sizes = new String[disks];
        java.util.Arrays.fill(sizes, "64MiB");
        return new TestCache(folder.resolve(name), "16MiB", sizes);
    }
}
