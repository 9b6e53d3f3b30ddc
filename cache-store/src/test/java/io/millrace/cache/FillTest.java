package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.FaultyObjectSource.Fault;
import io.millrace.cache.fill.UnopenedFetchException;
import io.millrace.cache.metadata.ObjectMetadata;
import io.netty.util.ReferenceCounted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.BaseSubscriber;

/**
 * Readers share the bytes of one request, whatever happens to the request and to other readers. A defect here is a
 * wrong byte, a reader that waits forever, or leaked memory.
 */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class FillTest {
    private static final int BLOCK = TestCache.BLOCK;
    private static final int MIB = 1 << 20;
    private static final long ALL = Long.MAX_VALUE;

    @TempDir
    Path folder;

    private TestCache cache;

    @BeforeEach
    void start() {
        cache = new TestCache(folder, "16MiB", "256MiB");
    }

    @AfterEach
    void stop() {
        cache.awaitIdle();
        cache.close();
    }

    @Test
    void thousandReadersOfAColdObjectCostOneRequest() {
        FaultyObjectSource source = FaultyObjectSource.sound("herd", MIB);
        List<VerifyingReader> readers = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            readers.add(reading(cache.read("herd", source), source, 0, ALL));
        }

        readers.forEach(reader -> reader.await(MIB));

        assertThat(source.asked()).hasSize(1);
        assertThat(source.sent()).isEqualTo(MIB);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 65_536, MIB, 3 * MIB + 1})
    void drainsResponsesToReuseConnections(long size) {
        FaultyObjectSource source = FaultyObjectSource.sound("whole-" + size, size);
        reading(cache.read("whole", source), source, 0, ALL).await(size);
        FaultyObjectSource part = FaultyObjectSource.sound("part-" + size, 100 * MIB);
        reading(cache.read("part", new ByteRange(MIB, MIB + size - 1), part), part, MIB, ALL)
                .await(size);
        cache.awaitIdle();

        assertThat(source.givenUp() + part.givenUp()).isZero();
    }

    @Test
    void readersHaveAllThatCameAndJoinersToo() {
        FaultyObjectSource source = FaultyObjectSource.with("stalled", MIB, new Fault.Stall(MIB / 2 + 100));
        VerifyingReader first = reading(cache.read("stalled", source), source, 0, ALL);
        first.awaitBytes(MIB / 2 + 100);
        List<VerifyingReader> joiners = new ArrayList<>();
        int[] places = {1, 65_535, 65_536, BLOCK - 1, BLOCK, BLOCK + 1, MIB / 2 + 99};
        for (int from : places) {
            joiners.add(reading(cache.read("stalled", new ByteRange(from, MIB - 1), source), source, from, ALL));
        }
        for (int i = 0; i < places.length; i++) {
            joiners.get(i).awaitBytes(MIB / 2 + 100 - places[i]);
        }

        source.goOn();

        first.await(MIB);
        for (int i = 0; i < places.length; i++) {
            joiners.get(i).await(MIB - places[i]);
        }
        assertThat(source.sent()).isEqualTo(MIB);
    }

    @Test
    void followersContinueAfterTheFirstReaderLeaves() {
        FaultyObjectSource source = FaultyObjectSource.with("left", 4 * MIB, new Fault.Stall(MIB));
        VerifyingReader first = reading(cache.read("left", source), source, 0, ALL);
        first.awaitBytes(MIB);
        VerifyingReader second = reading(cache.read("left", source), source, 0, ALL);
        second.awaitBytes(MIB);

        first.cancel();
        source.goOn();

        second.await(4 * MIB);
        assertThat(source.asked()).hasSize(1);
        assertThat(source.sent()).isEqualTo(4 * MIB);
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                0,
                1,
                65_535,
                65_536,
                65_537,
                BLOCK - 1,
                BLOCK,
                BLOCK + 1,
                2 * BLOCK,
                2 * BLOCK + 1,
                MIB - 1,
                MIB,
                MIB + 4
            })
    void resumesACutResponseAtTheByte(int at) {
        FaultyObjectSource source = FaultyObjectSource.with("cut", MIB + 5, new Fault.Cut(at));

        reading(cache.read("cut", source), source, 0, ALL).await(MIB + 5);

        assertThat(source.asked()).containsExactly(new ByteRange(0, MIB + 4), new ByteRange(at, MIB + 4));
        assertThat(source.sent()).isEqualTo(MIB + 5);
    }

    @Test
    void resumesAtTheBlockIfCutBeforeIt() {
        FaultyObjectSource source = FaultyObjectSource.with("suffix", MIB + 1000, new Fault.Cut(10));
        ByteSelection last = new ByteSelection.RangeSelection(new RangeSpec.Suffix(2000));
        ObjectMetadata head = cache.head("suffix", last, source).block(Duration.ofSeconds(60));
        ByteRange range = new ByteRange(MIB - 1000, MIB + 999);

        reading(
                        cache.cache()
                                .reader()
                                .read(java.util.Objects.requireNonNull(head), range, source, Optional.empty()),
                        source,
                        range.first(),
                        ALL)
                .await(2000);

        assertThat(source.asked().get(1).first() % BLOCK).isZero();
    }

    @Test
    void permanentlyCutResponseFailsTheReader() {
        FaultyObjectSource source =
                new FaultyObjectSource("never", MIB, false, request -> new Fault.Cut(request == 0 ? 300_000 : 0));

        VerifyingReader reader =
                reading(cache.read("never", source), source, 0, ALL).awaitEnd();

        assertThat(reader.failure())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.INVALID_RESPONSE));
        assertThat(reader.received()).isLessThanOrEqualTo(300_000);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fetchThatDoesNotOpenIsSentOnce(boolean synchronous) {
        FaultyObjectSource source = new FaultyObjectSource(
                "unopened", MIB, synchronous, request -> request == 0 ? new Fault.None() : new Fault.Unopened());
        ByteSelection last = new ByteSelection.RangeSelection(new RangeSpec.Suffix(10));
        ObjectMetadata head = cache.head("unopened", last, source).block(Duration.ofSeconds(60));

        VerifyingReader reader = reading(
                        cache.cache()
                                .reader()
                                .read(
                                        java.util.Objects.requireNonNull(head),
                                        new ByteRange(0, BLOCK - 1),
                                        source,
                                        Optional.empty()),
                        source,
                        0,
                        ALL)
                .awaitEnd();

        assertThat(reader.failure()).isInstanceOf(UnopenedFetchException.class);
        assertThat(source.asked()).hasSize(2);
    }

    @Test
    void resumedFetchThatDoesNotOpenIsSentAgain() {
        FaultyObjectSource source = FaultyObjectSource.with("reopened", MIB, new Fault.Cut(1000), new Fault.Unopened());

        reading(cache.read("reopened", source), source, 0, ALL).await(MIB);

        assertThat(source.asked()).hasSize(3);
    }

    @Test
    void boundsResumesIfAllResponsesAreCut() {
        FaultyObjectSource source = new FaultyObjectSource("pieces", MIB, false, request -> new Fault.Cut(1000));

        VerifyingReader reader =
                reading(cache.read("pieces", source), source, 0, ALL).awaitEnd();

        assertThat(reader.failure())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.INVALID_RESPONSE));
        assertThat(source.asked()).hasSizeBetween(4, 8);
    }

    @Test
    void resumesAfterEachCutUntilComplete() {
        FaultyObjectSource source = new FaultyObjectSource("flaky", MIB, false, request -> new Fault.Cut(66_000));

        reading(cache.read("flaky", source), source, 0, ALL).await(MIB);

        assertThat(source.asked()).hasSize(16);
        assertThat(source.sent()).isEqualTo(MIB);
    }

    @Test
    void bytesOfTwoVersionsAreNeverMixed() {
        FaultyObjectSource source = FaultyObjectSource.with("mixed", MIB, new Fault.CutLater(BLOCK + 1000));
        var old = source.bytes();
        VerifyingReader reader = new VerifyingReader(() -> old, 0, 1);
        cache.read("mixed", source).subscribe(reader);
        reader.awaitBytes(1);
        source.replace();
        // Not before: the rest would still be asked of the version that it began with.
        source.goOn();
        reader.request(ALL);

        assertThat(reader.awaitEnd().failure())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.VERSION_CHANGED));
        assertThat(reader.received()).isLessThanOrEqualTo(BLOCK + 1000);
        assertThat(cache.cache().reader().find(TestCache.id("mixed")).block(Duration.ofSeconds(60)))
                .isNull();
        reading(cache.read("mixed", source), source, 0, ALL).await(MIB);
    }

    @Test
    void twoHundredReadersShareSixteenBlocksOfMemory() throws InterruptedException {
        try (TestCache tiny = new TestCache(folder.resolve("tiny"), "4MiB", "64MiB")) {
            AtomicBoolean done = new AtomicBoolean();
            AtomicLong most = new AtomicLong();
            FaultyObjectSource stalled = FaultyObjectSource.with("small-0", MIB, new Fault.Stall(1000));
            Thread watch = new Thread(() -> {
                while (!done.get()) {
                    most.accumulateAndGet(tiny.cache().administration().stats().inFlight(), Math::max);
                    if (most.get() > 0) {
                        stalled.goOn();
                    }
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(3));
                }
            });
            watch.setDaemon(true);
            watch.start();
            List<VerifyingReader> readers = new ArrayList<>();
            readers.add(reading(tiny.read("small-0", stalled), stalled, 0, ALL));
            for (int i = 1; i < 200; i++) {
                FaultyObjectSource source = FaultyObjectSource.sound("small-" + i, MIB);
                readers.add(reading(tiny.read("small-" + i, source), source, 0, ALL));
            }

            readers.forEach(reader -> reader.await(MIB));

            done.set(true);
            watch.join();
            tiny.awaitIdle();
            assertThat(most.get()).isBetween(1L, 4L * MIB);
        }
    }

    @Test
    void slowReaderReadsAllOfAStoredObject() {
        FaultyObjectSource source = FaultyObjectSource.sound("slow", 2 * MIB);
        reading(cache.read("slow", source), source, 0, ALL).await(2 * MIB);
        cache.awaitIdle();

        VerifyingReader slow = reading(cache.read("slow", source), source, 0, 0);
        for (int i = 0; i < 64 && slow.received() < 2 * MIB; i++) {
            long before = slow.received();
            slow.request(1);
            slow.awaitBytes(before + 1);
        }

        slow.request(ALL);
        slow.await(2 * MIB);
        assertThat(source.asked()).hasSize(1);
    }

    @Test
    void runWithoutReadersStops() {
        FaultyObjectSource source = FaultyObjectSource.sound("unwanted", 512L * MIB);
        VerifyingReader reader = reading(cache.read("unwanted", source), source, 0, 8);
        reader.awaitBytes(8);

        reader.cancel();

        cache.awaitIdle();
        assertThat(source.sent()).isLessThan(128L * MIB);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void readsBytesThatNoDiskStores(boolean slow) {
        try (TestCache none = new TestCache(folder.resolve("none"), "4MiB")) {
            FaultyObjectSource source = FaultyObjectSource.sound("passing", 8 * MIB);
            VerifyingReader reader = reading(none.read("passing", source), source, 0, slow ? 0 : ALL);
            for (int i = 0; slow && i < 100; i++) {
                reader.request(1);
                reader.awaitBytes(i + 1);
            }
            reader.request(ALL);

            reader.await(8 * MIB);
        }
    }

    /** Each block that no disk takes is kept for five seconds: twenty delays would be more than the time limit. */
    @Test
    @Timeout(90)
    void unstoredBlocksDoNotDelayLaterFills() {
        try (TestCache none = new TestCache(folder.resolve("none"), "4MiB")) {
            for (int i = 0; i < 20; i++) {
                FaultyObjectSource source = FaultyObjectSource.sound("next-" + i, 4 * MIB);
                reading(none.read("next-" + i, source), source, 0, ALL).await(4 * MIB);
            }
            none.awaitIdle();
        }
    }

    @Test
    void readsManyShortRangesInSequence() {
        FaultyObjectSource source = FaultyObjectSource.sound("ranges", 64 * MIB);
        Random random = new Random(3);
        for (int i = 0; i < 500; i++) {
            long from = random.nextInt(64 * MIB - 5000);
            int length = 1 + random.nextInt(5000);
            reading(cache.read("ranges", new ByteRange(from, from + length - 1), source), source, from, ALL)
                    .await(length);
        }
    }

    @Test
    void cancelWhileWaitingForMemoryLeaksNothing() {
        try (TestCache tiny = new TestCache(folder.resolve("tiny"), "4MiB", "64MiB")) {
            List<FaultyObjectSource> holding = holdAllMemory(tiny);
            List<VerifyingReader> waiting = new ArrayList<>();
            FaultyObjectSource large = FaultyObjectSource.sound("waiting", 512L * MIB);
            ObjectMetadata head = tiny.headNow("waiting", large);
            for (int i = 0; i < 50; i++) {
                VerifyingReader reader = new VerifyingReader(large::bytes, i * (long) MIB, ALL);
                tiny.cache()
                        .reader()
                        .read(head, new ByteRange(i * (long) MIB, i * (long) MIB + BLOCK), large, Optional.empty())
                        .subscribe(reader);
                waiting.add(reader);
            }
            waiting.forEach(BaseSubscriber::cancel);
            holding.forEach(FaultyObjectSource::goOn);

            tiny.awaitIdle();
            assertThat(large.sent()).isLessThan(24L * MIB);
        }
    }

    @Test
    void allReadersWaitingForMemorySeeTheFailure() {
        try (TestCache tiny = new TestCache(folder.resolve("tiny"), "4MiB", "64MiB")) {
            List<FaultyObjectSource> holding = holdAllMemory(tiny);
            FaultyObjectSource refusing = new FaultyObjectSource(
                    "refusing",
                    2000L * MIB,
                    true,
                    request -> request == 0 ? new Fault.None() : new Fault.Refused(FailureKind.ACCESS_DENIED));
            ObjectMetadata head = tiny.headNow("refusing", refusing);
            List<VerifyingReader> waiting = new ArrayList<>();
            for (int i = 100; i < 1900; i++) {
                VerifyingReader reader = new VerifyingReader(refusing::bytes, i * (long) MIB, ALL);
                tiny.cache()
                        .reader()
                        .read(head, new ByteRange(i * (long) MIB, i * (long) MIB + 10), refusing, Optional.empty())
                        .subscribe(reader);
                waiting.add(reader);
            }
            holding.forEach(FaultyObjectSource::goOn);

            for (VerifyingReader reader : waiting) {
                assertThat(reader.awaitEnd().failure()).isInstanceOf(BackendException.class);
            }
            tiny.awaitIdle();
        }
    }

    @Test
    void aSourceThatThrowsFailsItsReaders() {
        FaultyObjectSource source = FaultyObjectSource.with("thrown", 2 * MIB, new Fault.Cut(1000), new Fault.Thrown());

        VerifyingReader reader =
                reading(cache.read("thrown", source), source, 0, ALL).awaitEnd();

        assertThat(reader.failure()).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReaderThatThrowsDoesNotHarmTheOthers(boolean synchronous) {
        FaultyObjectSource source = new FaultyObjectSource(
                "thrower", MIB, synchronous, request -> request == 0 ? new Fault.Stall(1000) : new Fault.None());
        ObjectMetadata head = cache.headNow("thrower", source);
        ByteRange all = new ByteRange(0, MIB - 1);
        cache.cache()
                .reader()
                .read(head, all, source, Optional.empty())
                .subscribe(new org.reactivestreams.Subscriber<>() {
                    @Override
                    public void onSubscribe(org.reactivestreams.Subscription subscription) {
                        subscription.request(ALL);
                    }

                    @Override
                    public void onNext(ReferenceCounted piece) {
                        piece.release();
                        throw new IllegalStateException("a reader's fault");
                    }

                    @Override
                    public void onError(Throwable failure) {}

                    @Override
                    public void onComplete() {}
                });
        VerifyingReader other =
                reading(cache.cache().reader().read(head, all, source, Optional.empty()), source, 0, ALL);

        source.goOn();

        other.await(MIB);
    }

    private static VerifyingReader reading(
            reactor.core.publisher.Flux<ReferenceCounted> body, FaultyObjectSource source, long first, long demand) {
        VerifyingReader reader = new VerifyingReader(source::bytes, first, demand);
        body.subscribe(reader);
        return reader;
    }

    /** Stalled reads of so many blocks as one backend gets of the smallest memory: three quarters. */
    private List<FaultyObjectSource> holdAllMemory(TestCache tiny) {
        List<FaultyObjectSource> holding = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            FaultyObjectSource source = FaultyObjectSource.with("holding-" + i, BLOCK, new Fault.Stall(1000));
            holding.add(source);
            reading(tiny.read("holding-" + i, source), source, 0, ALL).awaitBytes(1000);
        }
        return holding;
    }
}
