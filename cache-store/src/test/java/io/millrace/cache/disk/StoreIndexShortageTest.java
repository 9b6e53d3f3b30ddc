package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.ScarceMemory;
import io.millrace.cache.residency.GroupResidencyCounter;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A JVM without direct memory costs what cannot be remembered, never a segment of what is cached already. */
class StoreIndexShortageTest {
    @TempDir
    Path folder;

    @Test
    void indexShortageEvictsNoSegment() throws Exception {
        FingerprintHash hash = FingerprintHash.random();
        ScarceMemory memory = new ScarceMemory();
        SharedDiskComponents parts = TestLog.parts(
                hash,
                memory.index(4 << 20),
                AdmissionAndEvictionPolicy.frequency(1 << 16),
                GroupResidencyCounter.none(hash));
        WriteBudget unlimited = new WriteBudget(Optional.empty(), System::nanoTime);
        try (TestLog log = new TestLog(folder.resolve("disk"), 8, unlimited, parts)) {
            write(log, 0, 400);
            memory.usedUp(true);
            write(log, 400, 800);

            assertThat(parts.index().isShortOfMemory()).isTrue();
            assertThat(parts.index().fullness()).isGreaterThan(0.97);
            for (int number = 0; number < 400; number++) {
                assertThat(parts.index().find(TestLog.key(number))).isNotNull();
            }
            assertThat(Stores.segments(folder.resolve("disk")))
                    .hasSize(parts.segments().lastNumber());
        }
    }

    private static void write(TestLog log, int from, int to) throws Exception {
        for (int number = from; number < to; number++) {
            log.add(number, 1);
        }
        log.flush();
    }
}
