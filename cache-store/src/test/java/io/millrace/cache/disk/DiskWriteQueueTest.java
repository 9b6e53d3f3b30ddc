package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.monitor.CacheEventListener;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who writes is seen to go on, however small what he writes is. */
class DiskWriteQueueTest {
    @TempDir
    Path folder;

    private final DiskWriteQueue queue = new DiskWriteQueue(Path.of("disk"), CacheEventListener.NONE);

    @Test
    void ofSmallRecordsSoManyAreWrittenAtOnce() {
        add(1000, 100);

        assertThat(queue.take()).hasSize(DiskWriteQueue.BATCH_RECORDS);
        assertThat(queue.take()).hasSize(DiskWriteQueue.BATCH_RECORDS);
    }

    @Test
    void identitiesCountForWhatIsWrittenAtOnce() {
        add(1000, BlockToWrite.MAX_IDENTITY);

        assertThat(queue.take()).hasSize(DiskWriteQueue.BATCH_RECORDS);
    }

    @Test
    void eachRecordThatIsFoundIsAStep() throws IOException {
        WriteBudget endless = new WriteBudget(Optional.empty(), System::nanoTime);
        try (TestLog log = new TestLog(folder.resolve("disk"), 4, endless, TestLog.parts())) {
            for (int i = 0; i < 100; i++) {
                log.add(i, 0);
            }
            int before = log.steps();

            log.flush();

            assertThat(log.steps() - before).isGreaterThanOrEqualTo(100);
        }
    }

    @Test
    void totalsAreOfTheBlocksThatWereStored() {
        add(2, 100);
        List<DiskWriteQueue.Job> taken = queue.take();

        taken.get(0).complete(true);
        taken.get(1).complete(false);

        assertThat(queue.written().count()).isOne();
        assertThat(queue.written().nanos()).isPositive();
    }

    private void add(int records, int identityBytes) {
        for (int i = 0; i < records; i++) {
            queue.add(
                    new BlockToWrite(new Fingerprint(1, i), 0, ByteBuffer.allocate(identityBytes), List.of()),
                    stored -> {});
        }
    }
}
