package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.residency.GroupResidencyCounter;
import io.millrace.cache.residency.QuotaSize;
import io.millrace.cache.residency.ResidencyGroup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Which of a share should stay is seen by reading it, on the thread that writes: that must not hold the disk up, nor
 * wait for another.
 */
class GroupQuotaEnforcerTest {
    private static final int WITHIN_SHARE = 100;

    @TempDir
    Path folder;

    private final FingerprintHash hash = FingerprintHash.random();
    private final AdmissionAndEvictionPolicy policy = AdmissionAndEvictionPolicy.frequency(1 << 16);
    private final GroupResidencyCounter groups = new GroupResidencyCounter(
            List.of(new ResidencyGroup(
                    new ObjectPrefix("test", new BucketName("bucket"), ""),
                    Optional.of(new QuotaSize(0, WITHIN_SHARE * TestLog.BODY)))),
            hash,
            policy);

    /** By their identities: which disk they were written to. */
    private final List<Integer> lookedAt = new ArrayList<>();

    private final AtomicLong removed = new AtomicLong();
    private final List<TestLog> disks = new ArrayList<>();
    private int number;

    @BeforeEach
    void writeAsMuchAsMayBe() throws IOException {
        SharedDiskComponents parts = TestLog.parts(hash, policy, groups, new CacheEventListener() {
            @Override
            public void removedForQuota(long bytes) {
                removed.addAndGet(bytes);
            }
        });
        for (int i = 0; i < 2; i++) {
            WriteBudget budget = new WriteBudget(Optional.empty(), System::nanoTime);
            disks.add(new TestLog(folder.resolve("disk-" + i), 16, budget, parts));
        }
        write(0, WITHIN_SHARE);
        parts.pins().set(identity -> lookedAt.add(TestLog.which(identity)));
    }

    @AfterEach
    void close() {
        disks.forEach(TestLog::close);
    }

    @Test
    void writerReportsProgressDuringABoundedPinLookup() throws IOException {
        int before = disks.get(0).steps();
        write(0, WITHIN_SHARE);

        assertThat(lookedAt).hasSizeBetween(1, 64);
        assertThat(disks.get(0).steps() - before).isGreaterThan(lookedAt.size());
        assertThat(removed).hasValue(WITHIN_SHARE * TestLog.BODY);
        assertThat(groups.state(0).bytes()).isEqualTo(WITHIN_SHARE * TestLog.BODY);
    }

    @Test
    void writerOfOneDiskDoesNotReadFromAnother() throws IOException {
        write(1, WITHIN_SHARE);

        assertThat(lookedAt).doesNotContain(0);
        assertThat(groups.state(0).bytes()).isEqualTo(WITHIN_SHARE * TestLog.BODY);
    }

    /** At once. */
    private void write(int disk, int blocks) throws IOException {
        for (int i = 0; i < blocks; i++) {
            disks.get(disk).add(number++, disk);
        }
        disks.get(disk).flush();
    }
}
