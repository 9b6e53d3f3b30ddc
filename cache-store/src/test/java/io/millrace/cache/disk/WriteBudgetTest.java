package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.settings.CacheSettings;
import io.millrace.cache.settings.CacheSettings.DiskSettings;
import io.millrace.cache.settings.CacheSettingsFixture;
import io.millrace.config.DataSize;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A disk is worn out by what is written to it: no day may have more than its budget. */
class WriteBudgetTest {
    private static final int KEPT = 1;

    @TempDir
    Path folder;

    private final AtomicLong now = new AtomicLong(-5);

    @Test
    void noDayHasMoreThanItsBudget() {
        long budget = 24_000_000;
        WriteBudget writes = new WriteBudget(Optional.of(new DataSize(budget)), now::get);
        long written = 0;
        for (long second = 0; second < Duration.ofDays(1).toSeconds(); second++) {
            now.addAndGet(1_000_000_000L);
            while (writes.isLeft()) {
                writes.spend(1000);
                written += 1000;
            }
        }

        assertThat(written).isBetween((long) (0.97 * budget), budget + 1000);
    }

    @Test
    void copiesExceedTheDailyBudgetOnlySlightly() {
        long budget = 24_000_000;
        WriteBudget writes = new WriteBudget(Optional.of(new DataSize(budget)), now::get);
        long written = 0;
        for (long second = 0; second < Duration.ofDays(1).toSeconds(); second++) {
            now.addAndGet(1_000_000_000L);
            while (writes.isLeftForCopies()) {
                writes.spend(1000);
                written += 1000;
            }
        }

        assertThat(writes.isLeft()).isFalse();
        assertThat(written).isBetween((long) (0.99 * budget), budget + 1000);
    }

    @Test
    void unusedBudgetIsSavedForAnHour() {
        WriteBudget writes = new WriteBudget(Optional.of(new DataSize(24_000_000)), now::get);
        now.addAndGet(Duration.ofDays(3).toNanos());
        long written = 0;
        while (writes.isLeft()) {
            writes.spend(1000);
            written += 1000;
        }

        assertThat(written).isBetween(930_000L, 1_010_000L);
    }

    @Test
    void withoutOneThereIsNoLimit() {
        WriteBudget writes = new WriteBudget(Optional.empty(), now::get);
        writes.spend(Long.MAX_VALUE);

        assertThat(writes.isLeft()).isTrue();
    }

    @Test
    void usedUpBudgetStoresNoMoreBlocks() throws IOException {
        DiskSettings disk = new DiskSettings(
                folder.resolve("disk"), DataSize.parse("64MiB"), Optional.of(DataSize.parse("24MiB")), true);
        CacheSettings settings = CacheSettingsFixture.of(
                DataSize.parse("4KiB"), DataSize.parse("1MiB"), DataSize.parse("4MiB"), List.of(disk));
        try (BlockStore store = BlockStore.open(
                settings,
                folder.resolve("data"),
                AdmissionAndEvictionPolicy.frequency(1 << 16),
                CacheEventListener.NONE)) {
            store.disks().recover();
            int stored = 0;
            for (int i = 0; i < 40; i++) {
                stored += Stores.stored(Stores.write(store, i, 100_000)) ? 1 : 0;
            }

            assertThat(stored).isBetween(9, 14);
            assertThat(store.takesWrites()).isFalse();
            assertThat(Stores.reads(store, Stores.key(store, 0), 0)).isTrue();
        }
    }

    /** What is read often would be copied, but for the budget; what is kept is all the same. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void exhaustedBudgetCopiesOnlyPinnedBlocks(boolean usedUp) throws IOException {
        SharedDiskComponents parts = TestLog.parts();
        WriteBudget budget = new WriteBudget(Optional.of(DataSize.parse("1GiB")), now::get);
        try (TestLog log = new TestLog(folder.resolve("disk"), 4, budget, parts)) {
            for (int i = 0; i < 20; i++) {
                log.add(i, i < 10 ? KEPT : 0);
                use(parts, i);
            }
            parts.pins().set(identity -> TestLog.which(identity) == KEPT);
            if (usedUp) {
                budget.spend(DataSize.parse("1GiB").bytes());
            }
            for (int i = 20; i < 1020; i++) {
                log.add(i, 0);
            }
            log.flush();
        }

        assertThat(found(parts, 0, 10)).isEqualTo(10);
        assertThat(found(parts, 10, 20)).isEqualTo(usedUp ? 0 : 10);
    }

    private static void use(SharedDiskComponents parts, int number) {
        for (int i = 0; i < 5; i++) {
            parts.policy().used(TestLog.key(number));
        }
    }

    private static long found(SharedDiskComponents parts, int first, int end) {
        return IntStream.range(first, end)
                .filter(i -> parts.index().find(TestLog.key(i)) != null)
                .count();
    }
}
