package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.FaultyObjectSource.Fault;
import io.millrace.cache.metadata.ObjectMetadata;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Mono;

/** Prefetched blocks are fetched once, stay cached, and delay no reader. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(300)
class BlockPrefetchTest {
    private static final int MIB = 1 << 20;
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private TestCache cache;

    @BeforeEach
    void start() {
        cache = new TestCache(folder, "8MiB", "256MiB");
    }

    @AfterEach
    void stop() {
        cache.awaitIdle();
        cache.close();
    }

    @Test
    void prefetchesColdObjectWithOneRequest() {
        // No more, or its request ends in the middle if the prefetch follows it too late.
        FaultyObjectSource source = FaultyObjectSource.sound("cold", 16 * MIB);

        Long brought = warm("cold", source, new ByteRange(0, 16L * MIB - 1)).block(SOON);

        assertThat(brought).isEqualTo(16L * MIB);
        assertThat(source.sent()).isEqualTo(16L * MIB);
        assertThat(source.asked()).hasSize(1);
        read("cold", source, 16 * MIB);
        assertThat(source.sent()).isEqualTo(16L * MIB);
    }

    @Test
    void reportsEachBlockOnceItIsOnADisk() {
        FaultyObjectSource source = FaultyObjectSource.sound("told", 20 * MIB);
        ObjectMetadata head = Objects.requireNonNull(ahead("told", source).block(SOON));
        ByteRange range = new ByteRange(100, 20L * MIB - 101);
        List<Long> reported = new CopyOnWriteArrayList<>();

        cache.cache()
                .prefetcher()
                .prefetch(head, range, source, Optional.empty(), (bytes, brought) -> reported.add(bytes))
                .block(SOON);

        assertThat(reported).hasSizeGreaterThan(2);
        assertThat(reported.stream().mapToLong(Long::longValue).sum()).isEqualTo(range.length());
    }

    @Test
    void skipsResidentBlocks() {
        FaultyObjectSource source = FaultyObjectSource.sound("half", 4 * MIB);
        ObjectMetadata head = Objects.requireNonNull(ahead("half", source).block(SOON));
        ByteRange first = new ByteRange(0, 2L * MIB - 1);
        cache.cache()
                .prefetcher()
                .prefetch(head, first, source, Optional.empty(), (count, isBrought) -> {})
                .block(SOON);
        // A run goes on by itself when half of it is here.
        cache.awaitIdle();
        long before = source.sent();

        assertThat(cache.cache()
                        .prefetcher()
                        .prefetch(head, first, source, Optional.empty(), (count, isBrought) -> {})
                        .block(SOON))
                .isZero();

        assertThat(source.sent()).isEqualTo(before);
    }

    @Test
    void readersOfWhatIsBeingBroughtJoin() {
        FaultyObjectSource source = FaultyObjectSource.sound("joined", 32 * MIB);
        Mono<Long> warming =
                warm("joined", source, new ByteRange(0, 32L * MIB - 1)).cache();
        warming.subscribe();

        read("joined", source, 32 * MIB);

        warming.block(SOON);
        assertThat(source.sent()).isEqualTo(32L * MIB);
    }

    @Test
    void aBackendThatFailsIsReported() {
        FaultyObjectSource source = FaultyObjectSource.sound("away", 80L * MIB);
        ObjectMetadata head = Objects.requireNonNull(ahead("away", source).block(SOON));
        FaultyObjectSource away = new FaultyObjectSource(
                "away", 80L * MIB, false, request -> new Fault.Refused(FailureKind.ACCESS_DENIED));

        assertThatThrownBy(() -> cache.cache()
                        .prefetcher()
                        .prefetch(
                                head,
                                new ByteRange(40L * MIB, 41L * MIB),
                                away,
                                Optional.empty(),
                                (count, isBrought) -> {})
                        .block(SOON))
                .isInstanceOf(BackendException.class);
    }

    @Test
    void failsIfNoDiskStoresTheBlocks() {
        try (TestCache without = new TestCache(folder.resolve("none"), "8MiB")) {
            FaultyObjectSource source = FaultyObjectSource.sound("unstored", MIB);
            Mono<Long> warming = without.cache()
                    .prefetcher()
                    .open(TestCache.id("unstored"), new ByteSelection.WholeObject(), source)
                    .cast(UncachedOpenResult.Cached.class)
                    .flatMap(known -> without.cache()
                            .prefetcher()
                            .prefetch(
                                    known.metadata(),
                                    new ByteRange(0, MIB - 1),
                                    source,
                                    Optional.empty(),
                                    (count, isBrought) -> {}));

            assertThatThrownBy(() -> warming.block(SOON)).hasMessageContaining("no disk");
            without.awaitIdle();
        }
    }

    private Mono<ObjectMetadata> ahead(String key, FaultyObjectSource source) {
        return open(key, source).map(UncachedOpenResult.Cached::metadata);
    }

    private Mono<UncachedOpenResult.Cached> open(String key, FaultyObjectSource source) {
        return cache.cache()
                .prefetcher()
                .open(TestCache.id(key), new ByteSelection.WholeObject(), source)
                .cast(UncachedOpenResult.Cached.class);
    }

    private Mono<Long> warm(String key, FaultyObjectSource source, ByteRange range) {
        return open(key, source)
                .flatMap(opened -> cache.cache()
                        .prefetcher()
                        .prefetch(opened.metadata(), range, source, opened.opening(), (count, isBrought) -> {}));
    }

    private void read(String key, FaultyObjectSource source, long size) {
        VerifyingReader reader = new VerifyingReader(source::bytes, 0, Long.MAX_VALUE);
        cache.read(key, source).subscribe(reader);
        reader.await(size);
    }
}
