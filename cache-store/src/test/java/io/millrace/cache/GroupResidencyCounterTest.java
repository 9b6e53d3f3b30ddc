package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.cache.disk.CountedEntries;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.residency.GroupResidency;
import io.millrace.cache.residency.QuotaSize;
import io.millrace.cache.residency.ResidencyGroup;
import io.netty.util.ReferenceCounted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tracked residency of a prefix equals the result of reading all its entries, however its blocks came there: by fills,
 * writes, copies forward, replacements, an earlier run, or an earlier run that tracked other prefixes.
 */
@ExtendWith(BufferLeakExtension.class)
class GroupResidencyCounterTest {
    private static final int MIB = 1 << 20;
    private static final int SMALL = 5000;
    private static final int PIECE = 32 << 10;

    @TempDir
    Path folder;

    @SuppressWarnings("NullAway.Init") // each test opens its own
    private TestCache test;

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void prefixesAreCountedWithWhatLiesBelowThem() {
        open("", "a/", "a/b/");
        test.bring("a/b/", 3, MIB);
        test.bring("a/c/", 2, SMALL);
        test.bring("other", 1, MIB);

        assertThat(bytes("a/b/")).isEqualTo(3L * MIB);
        assertThat(bytes("a/")).isEqualTo(3L * MIB + 2 * SMALL);
        assertThat(bytes("")).isEqualTo(4L * MIB + 2 * SMALL);
        assertThat(state("a/").blocks()).isEqualTo(3 * 4 + 2);
    }

    @Test
    void otherBucketsAndBackendsAreNotCounted() {
        test = new TestCache(
                folder,
                List.of(
                        counted("other-backend", "bucket", ""),
                        counted("test", "other-bucket", ""),
                        counted("test", "bucket", "")),
                "32MiB",
                "32MiB");
        test.bring("a", 2, MIB);

        assertThat(test.cache().inventory().groups())
                .extracting(GroupResidency::bytes)
                .containsExactly(0L, 0L, 2L * MIB);
    }

    @Test
    void countsInvalidatedButNotEvictedObjects() {
        open("a/", "b/");
        test.bring("a/", 3, SMALL);
        test.bring("b/", 1, MIB);
        test.cache().inventory().evict(test.headNow("a/0", FaultyObjectSource.sound("a/0", SMALL)));
        test.cache().writeFence().invalidate(TestCache.id("a/1"));
        test.awaitIdle();

        assertThat(bytes("a/")).isEqualTo(2L * SMALL);
        assertThat(bytes("b/")).isEqualTo(MIB);
    }

    @Test
    void countsStayExactAfterSeveralTurnovers() {
        open("", "a/");
        for (int round = 0; round < 3; round++) {
            test.bring("a/" + round + "/", 30, MIB);
            test.bring("b/" + round + "/", 200, SMALL);
            test.bring("b/large" + round + "/", 20, MIB);
        }

        assertCountsAreTrue();
        assertThat(bytes("")).isBetween(10L * MIB, 40L * MIB);
    }

    @Test
    void resumedScanReportsEachObjectOnce() {
        open("");
        test.bring("a/", 1300, 100);
        List<String> keys = new ArrayList<>();
        Optional<ObjectId> after = Optional.empty();
        do {
            after = Optional.ofNullable(test.cache()
                            .inventory()
                            .scan(prefix("test", "bucket", "a/"), after)
                            .take(37)
                            .doOnNext(
                                    found -> keys.add(found.id().object().key().value()))
                            .blockLast(Duration.ofSeconds(60)))
                    .map(ObjectMetadata::id);
        } while (after.isPresent());

        assertThat(keys).hasSize(1300).doesNotHaveDuplicates().isSorted();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nextRunCountsTheSame(boolean again) {
        open("", "a/");
        test.bring("a/", 5, MIB);
        test.bring("b/", 10, SMALL);
        List<GroupResidency> before = test.cache().inventory().groups();

        reopen("", "a/");
        if (again) {
            reopen("", "a/");
        }

        assertThat(test.cache().inventory().groups()).isEqualTo(before);
    }

    @Test
    void blocksCountForTheBucketAfterPrefixesChange() {
        open("", "a/");
        test.bring("a/x/", 3, MIB);
        test.bring("b/", 10, SMALL);

        reopen("", "a/x/", "b/");
        assertThat(bytes("")).isEqualTo(3L * MIB + 10 * SMALL);
        assertThat(bytes("a/x/")).isZero();
        test.cache().inventory().evict(test.headNow("b/0", FaultyObjectSource.sound("b/0", SMALL)));
        test.bring("b/", 1, SMALL);

        assertThat(bytes("b/")).isEqualTo(SMALL);
        assertThat(bytes("")).isEqualTo(3L * MIB + 10 * SMALL);
    }

    @Test
    void runThatCountedNothingIsCountedByTheNext() {
        open();
        test.bring("a/", 3, MIB);
        test.bring("b/", 4, SMALL);

        reopen("");

        assertThat(bytes("")).isEqualTo(3L * MIB + 4 * SMALL);
    }

    /**
     * Objects are small beside a segment, as blocks are on a disk of some size. A log that is full to the brim cannot
     * be turned round without loss: some of what nobody reads goes, and no more.
     */
    @Test
    void quotaBoundsABucketAndSparesOthers() {
        open(Optional.of("25%"), "greedy/", "calm/");
        test.bring("calm/", 480, PIECE);
        readOften("greedy/first", 250, PIECE, 2);
        readOften("greedy/second", 250, PIECE, 6);

        assertThat(bytes("greedy/")).isBetween(7L * MIB, 8L * MIB);
        assertThat(test.resident("greedy/second", 250)).isPositive();
        assertThat(bytes("calm/")).isGreaterThan(12L * MIB);
        assertCountsAreTrue();
    }

    @Test
    void prefetchBeyondTheQuotaReplacesItsOwnBlocks() {
        open(Optional.of("8MiB"), "greedy/", "calm/");
        test.bring("calm/", 480, PIECE);
        test.bring("greedy/", 1000, PIECE);

        assertThat(bytes("greedy/")).isBetween(7L * MIB, 8L * MIB);
        assertThat(bytes("calm/")).isGreaterThan(12L * MIB);
    }

    @Test
    void pinnedBlocksAreEvictedLastWithinAQuota() {
        open(Optional.of("8MiB"), "greedy/", "calm/");
        keep("greedy/kept");
        test.bring("greedy/kept", 4, MIB);
        test.bring("greedy/", 30, MIB);

        assertThat(test.resident("greedy/kept", 4)).isEqualTo(4L * MIB);
        assertThat(bytes("greedy/")).isLessThanOrEqualTo(8L * MIB);
    }

    @Test
    void pinsDoNotExceedTheQuota() {
        open(Optional.of("8MiB"), "greedy/", "calm/");
        keep("greedy/");
        test.bring("greedy/", 20, MIB);

        assertThat(bytes("greedy/")).isBetween(7L * MIB, 8L * MIB);
    }

    @Test
    void loweredQuotaIsReachedAsNewBlocksArrive() {
        open(Optional.of("16MiB"), "greedy/", "calm/");
        test.bring("greedy/", 16, MIB);
        assertThat(bytes("greedy/")).isEqualTo(16L * MIB);

        test.close();
        open(Optional.of("4MiB"), "greedy/", "calm/");
        test.bring("calm/", 60, MIB);

        assertThat(bytes("greedy/")).isLessThanOrEqualTo(5L * MIB);
        assertThat(bytes("calm/")).isGreaterThan(16L * MIB);
    }

    @Test
    void shareHoldsAcrossARestart() {
        open(Optional.of("8MiB"), "greedy/", "calm/");
        test.bring("greedy/", 8, MIB);
        test.close();
        open(Optional.of("8MiB"), "greedy/", "calm/");
        readOften("greedy/new", 10, MIB, 4);

        assertThat(bytes("greedy/")).isLessThanOrEqualTo(8L * MIB);
        assertThat(test.resident("greedy/new", 10)).isPositive();
    }

    /**
     * What had gone is found again behind a start, and is too much: that goes, and not what is read but lies in the
     * oldest segments.
     */
    @Test
    void readBlocksStayIfARestartExceedsTheQuota() {
        open(Optional.of("8MiB"), "greedy/", "calm/");
        for (int i = 0; i < 4; i++) {
            test.bring("greedy/hot" + i, 1, MIB / 4);
            readOften("greedy/hot" + i, 1, MIB / 4, 4);
            test.bring("greedy/old" + i, 4, MIB);
        }
        assertThat(bytes("greedy/")).isLessThanOrEqualTo(8L * MIB);
        test.close();
        open(Optional.of("8MiB"), "greedy/", "calm/");
        assertThat(bytes("greedy/")).isGreaterThan(12L * MIB);
        for (int i = 0; i < 4; i++) {
            readOften("greedy/hot" + i, 1, MIB / 4, 4);
        }
        test.bring("calm/", 20, MIB);

        for (int i = 0; i < 4; i++) {
            assertThat(test.resident("greedy/hot" + i, 1)).isEqualTo(MIB / 4);
        }
        assertThat(bytes("greedy/")).isLessThanOrEqualTo(8L * MIB + MIB / 2);
    }

    /** Behind a start none of what is there is known but by a look: what comes must not be what goes. */
    @Test
    void prefetchAfterARestartReplacesItsOwnBlocks() {
        open(Optional.of("8MiB"), "greedy/", "calm/");
        test.bring("calm/", 10, MIB);
        test.bring("greedy/old", 8, MIB);
        test.close();
        open(Optional.of("8MiB"), "greedy/", "calm/");
        test.bring("greedy/new", 2, MIB);

        assertThat(test.resident("greedy/new", 2)).isEqualTo(2L * MIB);
        assertThat(test.resident("calm/", 10)).isEqualTo(10L * MIB);
        assertThat(bytes("greedy/")).isBetween(7L * MIB, 8L * MIB);
    }

    private void open(String... prefixes) {
        test = new TestCache(
                folder,
                Arrays.stream(prefixes)
                        .map(prefix -> counted("test", "bucket", prefix))
                        .toList(),
                "32MiB",
                "32MiB");
    }

    private void open(Optional<String> share, String greedy, String calm) {
        ResidencyGroup bound = new ResidencyGroup(prefix("test", "bucket", greedy), share.map(QuotaSize::parse));
        test = new TestCache(folder, List.of(bound, counted("test", "bucket", calm)), "32MiB", "32MiB");
    }

    private void reopen(String... prefixes) {
        test.close();
        open(prefixes);
    }

    private static ResidencyGroup counted(String backend, String bucket, String prefix) {
        return ResidencyGroup.of(prefix(backend, bucket, prefix));
    }

    private static ObjectPrefix prefix(String backend, String bucket, String prefix) {
        return new ObjectPrefix(backend, new BucketName(bucket), prefix);
    }

    private GroupResidency state(String prefix) {
        return test.cache().inventory().groups().stream()
                .filter(state -> state.objects().prefix().equals(prefix))
                .findFirst()
                .orElseThrow();
    }

    private long bytes(String prefix) {
        return state(prefix).bytes();
    }

    /**
     * What all entries tell, one by one, and what the metadata of all objects does. Blocks whose metadata has gone are
     * counted too.
     */
    private void assertCountsAreTrue() {
        test.awaitIdle();
        List<GroupResidency> states = test.cache().inventory().groups();
        for (int i = 0; i < states.size(); i++) {
            GroupResidency state = states.get(i);
            assertThat(new CountedEntries(state.blocks(), state.bytes()))
                    .as("entries of %s", state.objects())
                    .isEqualTo(CountedEntries.of(test.cache(), i));
            long bytes = test.cache()
                    .inventory()
                    .scan(state.objects(), Optional.empty())
                    .map(test.cache().inventory()::residentBytes)
                    .reduce(0L, Long::sum)
                    .blockOptional(Duration.ofSeconds(60))
                    .orElseThrow();
            assertThat(state.bytes()).as("bytes of %s", state.objects()).isEqualTo(bytes);
        }
    }

    private void keep(String begin) {
        test.cache().inventory().pin(new PinPredicate() {
            @Override
            public boolean isEmpty() {
                return false;
            }

            @Override
            public boolean isPinned(ObjectId id) {
                return id.object().key().value().startsWith(begin);
            }
        });
    }

    /**
     * Reads objects again and again, each time after what the last round left in memory has gone: a block that was not
     * admitted is asked about again only when it is fetched again.
     */
    private void readOften(String name, int objects, int size, int times) {
        for (int round = 0; round < times; round++) {
            for (int i = 0; i < objects; i++) {
                test.read(name + i, FaultyObjectSource.sound(name + i, size))
                        .doOnNext(ReferenceCounted::release)
                        .blockLast(Duration.ofSeconds(60));
            }
            test.awaitIdle();
        }
    }
}
