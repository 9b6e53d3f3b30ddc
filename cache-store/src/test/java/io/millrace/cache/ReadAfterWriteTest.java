package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.Promise;
import io.millrace.cache.metadata.MetadataStoreFault;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.monitor.CacheEventListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** A read after an acknowledged write does not see the content from before it. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class ReadAfterWriteTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    /** Requests that have not taken effect, and answers that have not come, in order. */
    private final Deque<Runnable> steps = new ArrayDeque<>();

    private final ScheduledObject object = new ScheduledObject("key", this::later);
    private final ObjectId id = TestCache.id("key");
    private CountDownLatch disk = new CountDownLatch(0);
    private final AtomicBoolean diskHangs = new AtomicBoolean();
    private final CacheEventListener recorder = new CacheEventListener() {
        @Override
        public void stored(long bytes) {
            try {
                diskHangs.set(disk.getCount() > 0);
                disk.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    };
    private TestCache cache;

    @BeforeEach
    void start() {
        cache = open();
    }

    @AfterEach
    void stop() {
        disk.countDown();
        stepAll();
        cache.awaitIdle();
        cache.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void responseRequestedBeforeAWriteIsNotPublished(boolean opening) {
        write(1000);
        AtomicReference<ObjectMetadata> reported = cache.ask(id, opening, object);
        step(); // the question is answered, the answer is on its way
        write(2000);

        stepAll();

        assertThat(number(reported)).isEqualTo(1);
        assertThat(find()).isNull();
        cache.awaitIdle();
        reopen();
        assertThat(find()).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void readerAfterAWriteSendsItsOwnRequest(boolean opening) {
        write(1000);
        AtomicReference<ObjectMetadata> before = cache.ask(id, opening, object);
        step();
        Deque<Runnable> held = new ArrayDeque<>(steps);
        steps.clear();
        write(2000);

        AtomicReference<ObjectMetadata> behind = cache.ask(id, opening, object);
        stepAll();

        assertThat(number(behind)).isEqualTo(2);
        steps.addAll(held);
        stepAll();
        assertThat(number(before)).isEqualTo(1);
        assertThat(ScheduledObject.numberOf(Objects.requireNonNull(find()).head()))
                .isEqualTo(2);
    }

    @Test
    void publishesNoMetadataDuringAWrite() {
        write(1000);
        cache.cache().writeFence().beginWrite(id).block(PATIENCE);

        AtomicReference<ObjectMetadata> reported = cache.ask(id, true, object);
        stepAll();

        assertThat(reported.get()).isNotNull();
        assertThat(find()).isNull();
        WriteFence.Fence fence = cache.cache().writeFence().fence(id);
        assertThat(fence.isCurrent()).isFalse();
        cache.cache().writeFence().endWrite(id, true);
        cache.ask(id, true, object);
        stepAll();
        assertThat(find()).isNotNull();
    }

    @Test
    void publishesNoMetadataSoonAfterAnUnacknowledgedWrite() {
        write(1000);
        cache.cache().writeFence().beginWrite(id).block(PATIENCE);
        cache.cache().writeFence().endWrite(id, false);

        cache.ask(id, true, object);
        stepAll();

        assertThat(find()).isNull();
        ObjectId other = TestCache.id("other");
        ScheduledObject unharmed = new ScheduledObject("other", this::later);
        unharmed.write(10).subscribe();
        stepAll();
        cache.cache()
                .reader()
                .open(other, new ByteSelection.WholeObject(), unharmed)
                .subscribe();
        stepAll();
        assertThat(cache.cache().reader().find(other).block(PATIENCE)).isNotNull();
    }

    @Test
    void absenceHoldsUntilAWrite() {
        WriteFence.Fence fence = cache.cache().writeFence().fence(id);
        assertThat(fence.isCurrent()).isTrue();

        write(1000);

        assertThat(fence.isCurrent()).isFalse();
        fence = cache.cache().writeFence().fence(id);
        assertThat(fence.isCurrent()).isTrue();
    }

    @Test
    void missingKeyRaisesNoWriteEpoch() {
        WriteFence.Fence fence = cache.cache().writeFence().fence(id);

        cache.cache().reader().revalidate(id, false, object).subscribe(head -> {}, absent -> {});
        stepAll();

        assertThat(fence.isCurrent()).isTrue();
    }

    @Promise("W8")
    @Test
    void metadataBeforeAWriteIsInvalidAfterAKill() {
        write(1000);
        cache.ask(id, true, object);
        step();
        step(); // its metadata is known, its one block is not here yet
        assertThat(find()).isNotNull();
        cache.cache().writeFence().beginWrite(id).block(PATIENCE);
        stepAll();
        cache.awaitIdle();

        assertThat(find()).isNull();
        try (TestCache killed = open(FolderSnapshot.folder(folder.resolve("cache"), folder.resolve("killed")))) {
            assertThat(killed.cache().reader().find(id).block(PATIENCE)).isNull();
        }
        cache.cache().writeFence().endWrite(id, true);
    }

    /** The metadata store loses all that it was told since the file system has last written. */
    @Promise("W8")
    @Test
    void metadataBeforeAWriteIsStaleAfterPowerLoss() throws IOException {
        know();
        SimulatedPowerLoss loss =
                SimulatedPowerLoss.afterAllIsWritten(folder.resolve("cache"), folder.resolve("written"));
        cache.cache().writeFence().beginWrite(id).block(PATIENCE);

        try (TestCache found = open(loss.happens(folder.resolve("lost")))) {
            ObjectMetadata metadata =
                    Objects.requireNonNull(found.cache().reader().find(id).block(PATIENCE));
            assertThat(metadata.mustRevalidate()).isTrue();
        }
        cache.cache().writeFence().endWrite(id, true);
    }

    @Test
    void writtenBytesAreCachedWithoutAFetch() {
        int number = write(TestCache.BLOCK + 1000L);
        List<ByteBuf> body = pieces(object.bytes(number));

        fillWritten(ScheduledObject.tag(number), body).subscribe();
        stepAll();
        cache.awaitIdle();

        assertThat(body).allMatch(piece -> piece.refCnt() == 0);
        ObjectMetadata head = Objects.requireNonNull(find());
        assertThat(cache.cache().inventory().residentBytes(head) == head.size()).isTrue();
        assertThat(bytes(head)).isEqualTo(object.bytes(number));
        assertThat(steps).isEmpty();
    }

    @Test
    void dropsBytesOfAReplacedWrite() {
        int number = write(1000);
        List<ByteBuf> body = pieces(object.bytes(number));
        fillWritten(ScheduledObject.tag(number), body).subscribe();
        write(1000);

        stepAll();
        cache.awaitIdle();

        assertThat(body).allMatch(piece -> piece.refCnt() == 0);
    }

    @Test
    void dropsBytesOfAWriteIfAlreadyRequested() {
        int number = write(1000);
        List<ByteBuf> body = pieces(object.bytes(number));
        AtomicReference<ObjectMetadata> requested = cache.ask(id, true, object);

        fillWritten(ScheduledObject.tag(number), body).subscribe();
        stepAll();
        cache.awaitIdle();

        assertThat(requested.get()).isNotNull();
        assertThat(body).allMatch(piece -> piece.refCnt() == 0);
        assertThat(bytes(Objects.requireNonNull(requested.get()))).isEqualTo(object.bytes(number));
    }

    @Test
    void cachesBytesIfTheWriterDisconnects() {
        int number = write(1000);
        List<ByteBuf> taken = pieces(object.bytes(number));
        fillWritten(ScheduledObject.tag(number), taken).subscribe().dispose();
        stepAll();
        List<ByteBuf> unwanted = pieces(object.bytes(number));
        fillWritten(ETag.strong("another"), unwanted).subscribe().dispose();
        stepAll();
        cache.awaitIdle();

        assertThat(taken).allMatch(piece -> piece.refCnt() == 0);
        assertThat(unwanted).allMatch(piece -> piece.refCnt() == 0);
        assertThat(find()).isNotNull();
    }

    @Test
    void dropsBytesOfADeletedObject() {
        int number = write(1000);
        List<ByteBuf> body = pieces(object.bytes(number));
        write(-1);

        fillWritten(ScheduledObject.tag(number), body).subscribe(nothing -> {}, absent -> {});
        stepAll();

        assertThat(body).allMatch(piece -> piece.refCnt() == 0);
        assertThat(find()).isNull();
    }

    @Test
    void aDiskThatHangsHoldsNoWrite() {
        write(1000);
        cache.ask(id, true, object);
        stepAll();
        cache.awaitIdle();
        disk = new CountDownLatch(1);
        FaultyObjectSource source = FaultyObjectSource.sound("hangs", 1000);
        cache.read("hangs", source).subscribe(piece -> piece.release());
        Polling.until("its disk hangs", diskHangs::get);

        cache.cache().writeFence().beginWrite(id).block(PATIENCE);

        assertThat(disk.getCount()).as("the disk hangs still").isEqualTo(1);
        disk.countDown();
        cache.cache().writeFence().endWrite(id, true);
        assertThat(find()).isNull();
    }

    @Promise("W8")
    @Test
    void hangingMetadataStoreDelaysWritesBrieflyAndIsStale() throws InterruptedException {
        know();
        reopen();
        try (MetadataStoreFault unused = MetadataStoreFault.hanging(cache.cache())) {
            long start = System.nanoTime();
            cache.cache().writeFence().beginWrite(id).block(PATIENCE);

            // The store hangs until the end of this: whoever waited for it would not come here.
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(500));
            assertThat(find()).isNull();
            try (TestCache killed = open(FolderSnapshot.folder(folder.resolve("cache"), folder.resolve("killed")))) {
                ObjectMetadata found = killed.cache().reader().find(id).block(PATIENCE);
                assertThat(found == null || found.mustRevalidate()).isTrue();
            }
            cache.cache().writeFence().endWrite(id, true);
            assertThat(find()).isNull();
        }
        Polling.until(
                "it is healthy",
                () -> cache.cache().administration().metadataStats().healthy());
        assertThat(find()).isNull();
        reopen();
        ObjectMetadata found = find();
        assertThat(found == null || found.mustRevalidate()).isTrue();
    }

    @Promise("W8")
    @Test
    void failedMetadataStoreAllowsWritesAndIsStale() throws IOException {
        know();
        reopen();
        MetadataStoreFault.fail(cache.cache());

        cache.cache().writeFence().beginWrite(id).block(PATIENCE);

        assertThat(find()).isNull();
        try (TestCache killed = open(FolderSnapshot.folder(folder.resolve("cache"), folder.resolve("killed")))) {
            ObjectMetadata found = killed.cache().reader().find(id).block(PATIENCE);
            assertThat(found == null || found.mustRevalidate()).isTrue();
        }
        cache.cache().writeFence().endWrite(id, true);
    }

    /** The gateway must not send it: what was known could be believed after a crash. */
    @Test
    void writesFailIfTheStaleEpochCannotBeStored() throws IOException {
        know();
        reopen();
        MetadataStoreFault.fail(cache.cache());
        try (RemovedFolders unused = RemovedFolders.of(folder.resolve("cache"), "data", "disk-0")) {
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(
                                () -> cache.cache().writeFence().beginWrite(id).block(PATIENCE))
                        .hasCauseInstanceOf(IOException.class);
                assertThat(find()).isNull();
                cache.cache().writeFence().endWrite(id, true);
            }
        }
        cache.cache().writeFence().beginWrite(id).block(PATIENCE);
        try (TestCache killed = open(FolderSnapshot.folder(folder.resolve("cache"), folder.resolve("killed")))) {
            ObjectMetadata found = killed.cache().reader().find(id).block(PATIENCE);
            assertThat(found == null || found.mustRevalidate()).isTrue();
        }
        cache.cache().writeFence().endWrite(id, true);
    }

    @Test
    void observedDifferenceOutlastsARestart() {
        write(1000);
        cache.ask(id, true, object);
        stepAll();
        cache.awaitIdle();
        ObjectMetadata head = Objects.requireNonNull(find());

        cache.cache().writeFence().observe(id, head.head().eTag(), head.size());
        assertThat(find()).isNotNull();
        reopen();
        assertThat(find()).isNotNull();

        cache.cache().writeFence().observe(id, Optional.of(ETag.strong("another")), head.size());
        Polling.until("it is forgotten", () -> find() == null);
        reopen();
        assertThat(find()).isNull();
    }

    private void know() {
        write(1000);
        cache.ask(id, true, object);
        stepAll();
        cache.awaitIdle();
        assertThat(find()).isNotNull();
    }

    /** Writes, with its own requests before all others. */
    private int write(long size) {
        AtomicInteger number = new AtomicInteger();
        Deque<Runnable> held = new ArrayDeque<>(steps);
        steps.clear();
        cache.cache().writeFence().beginWrite(id).block(PATIENCE);
        object.write(size).subscribe(number::set);
        stepAll();
        cache.cache().writeFence().endWrite(id, true);
        steps.addAll(held);
        return number.get();
    }

    private static int number(AtomicReference<ObjectMetadata> reported) {
        return ScheduledObject.numberOf(Objects.requireNonNull(reported.get()).head());
    }

    private @Nullable ObjectMetadata find() {
        return cache.cache().reader().find(id).block(PATIENCE);
    }

    private byte[] bytes(ObjectMetadata head) {
        return CollectedBody.bytes(
                cache.cache().reader().read(head, new ByteRange(0, head.size() - 1), object, Optional.empty()));
    }

    private static List<ByteBuf> pieces(byte[] bytes) {
        List<ByteBuf> pieces = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += 30_000) {
            int length = Math.min(30_000, bytes.length - at);
            pieces.add(PooledByteBufAllocator.DEFAULT.directBuffer(length).writeBytes(bytes, at, length));
        }
        return pieces;
    }

    private Mono<Void> fillWritten(ETag tag, List<ByteBuf> body) {
        return cache.cache().prefetcher().fillWritten(id, tag, body, object);
    }

    private void later(Runnable step) {
        synchronized (steps) {
            steps.add(step);
        }
    }

    private boolean step() {
        Runnable next;
        synchronized (steps) {
            next = steps.poll();
        }
        if (next != null) {
            next.run();
        }
        return next != null;
    }

    private void stepAll() {
        while (step()) {
            // Each may bring others.
        }
    }

    private void reopen() {
        cache.close();
        cache = open();
    }

    private TestCache open() {
        return new TestCache(folder.resolve("cache"), recorder, "16MiB", "64MiB");
    }

    private static TestCache open(Path other) {
        return new TestCache(other, "16MiB", "64MiB");
    }
}
