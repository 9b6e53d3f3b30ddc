package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.monitor.NonAdmissionReason;
import io.millrace.cache.residency.QuotaSize;
import io.millrace.cache.residency.ResidencyGroup;
import io.millrace.cache.settings.ChecksumVerification;
import io.netty.util.ReferenceCounted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import reactor.core.publisher.Flux;

/**
 * Blocks that a full cache does not admit cost their readers only the request, and do not use up the memory of other
 * fills.
 */
@ExtendWith(BufferLeakExtension.class)
class UnadmittedBlocksTest {
    private static final int MIB = 1 << 20;
    private static final int POPULAR = 40;

    @TempDir
    Path folder;

    private final Map<NonAdmissionReason, Long> refused = new ConcurrentHashMap<>();
    private final CacheEventListener recorder = new CacheEventListener() {
        @Override
        public void notAdmitted(NonAdmissionReason reason, long bytes) {
            refused.merge(reason, bytes, Long::sum);
        }
    };
    private TestCache test;

    @BeforeEach
    void fillWithWhatIsReadOften() {
        test = new TestCache(folder, recorder, "32MiB", "32MiB");
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < POPULAR; i++) {
                read("popular-" + i, FaultyObjectSource.sound("popular-" + i, MIB));
            }
        }
        test.awaitIdle();
        refused.clear();
    }

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void unadmittedBlockIsSharedButNotStored() {
        FaultyObjectSource source =
                FaultyObjectSource.with("newcomer", 3 * MIB, new FaultyObjectSource.Fault.Stall(1000));
        Set<Integer> begun = ConcurrentHashMap.newKeySet();

        List<byte[]> responses = Flux.range(0, 8)
                .flatMap(
                        reader ->
                                CollectedBody.soon(test.read("newcomer", source).doOnNext(piece -> {
                                    // It goes on when all are there, so that none comes when the first blocks have been
                                    // let go.
                                    if (begun.add(reader) && begun.size() == 8) {
                                        source.goOn();
                                    }
                                })),
                        8)
                .collectList()
                .block(Duration.ofSeconds(60));

        assertThat(responses)
                .hasSize(8)
                .allSatisfy(bytes -> assertThat(bytes).isEqualTo(source.bytes().first(3 * MIB)));
        assertThat(source.sent()).isEqualTo(3 * MIB);
        test.awaitIdle();
        assertThat(refused).containsExactly(entry(NonAdmissionReason.CAPACITY, 3L * MIB));
        ObjectMetadata head = test.headNow("newcomer", source);
        assertThat(test.cache().inventory().residentBytes(head)).isZero();
    }

    @Test
    void prefetchStoresABlockThatAReadDidNot() {
        FaultyObjectSource source = FaultyObjectSource.sound("wanted", MIB);
        read("wanted", source);

        ObjectMetadata head = test.headNow("wanted", source);
        test.cache()
                .prefetcher()
                .prefetch(head, new ByteRange(0, MIB - 1), source, Optional.empty(), (count, isBrought) -> {})
                .block(Duration.ofSeconds(60));

        assertThat(test.cache().inventory().residentBytes(head)).isEqualTo(MIB);
    }

    @Test
    void frequentlyReadBlockIsAdmitted() {
        FaultyObjectSource source = FaultyObjectSource.sound("rising", MIB);
        for (int i = 0; i < 20; i++) {
            read("rising", source);
            test.awaitIdle();
        }

        assertThat(test.cache().inventory().residentBytes(test.headNow("rising", source)))
                .isEqualTo(MIB);
    }

    @Test
    void blocksOfALargeScanAreRefused() {
        scan();

        assertThat(refused).containsOnlyKeys(NonAdmissionReason.CAPACITY);
        assertThat(refused.get(NonAdmissionReason.CAPACITY)).isGreaterThan(100L * MIB);
    }

    @Test
    void blocksBeyondAQuotaAreRefusedForItWhileTheDiskHasRoom() {
        test.close();
        ResidencyGroup bounded = new ResidencyGroup(
                new ObjectPrefix("test", new BucketName("bucket"), ""), Optional.of(QuotaSize.parse("4MiB")));
        test = new TestCache(
                folder.resolve("bounded"),
                List.of(bounded),
                recorder,
                ChecksumVerification.FIRST_READ,
                "32MiB",
                "256MiB");

        scan();
        test.awaitIdle();

        assertThat(refused).containsOnlyKeys(NonAdmissionReason.QUOTA);
        assertThat(refused.get(NonAdmissionReason.QUOTA)).isGreaterThan(100L * MIB);
    }

    /** Only time tells, and that of a machine with little to do: not at each build. */
    @Test
    @Tag("slow")
    void largeScanDoesNotWaitForMemory() {
        long began = System.nanoTime();

        scan();

        // Each would wait for half a second if nothing went before.
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
    }

    /** Four times the memory. */
    private void scan() {
        for (int i = 0; i < 60; i++) {
            read("scan-" + i, FaultyObjectSource.sound("scan-" + i, 2 * MIB));
        }
    }

    private void read(String key, FaultyObjectSource source) {
        test.head(key, new ByteSelection.WholeObject(), source)
                .flatMapMany(head ->
                        test.cache().reader().read(head, new ByteRange(0, head.size() - 1), source, Optional.empty()))
                .doOnNext(ReferenceCounted::release)
                .blockLast(Duration.ofSeconds(60));
    }
}
