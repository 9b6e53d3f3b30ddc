package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import io.millrace.cache.ObjectId;
import io.millrace.cache.ObjectPrefix;
import io.millrace.cache.Waiting;
import io.millrace.cache.eviction.EvictionPolicy;
import io.millrace.cache.group.CountedObjects;
import io.millrace.cache.group.Groups;
import io.millrace.cache.index.FingerprintHash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What could not be read is not counted, and nobody is told that it was. */
class RecountTest {
    private static final int BLOCKS = 10;
    private static final int ALL = 1000;

    @TempDir
    Path folder;

    private final FingerprintHash hash = FingerprintHash.random();
    private final EvictionPolicy policy = EvictionPolicy.frequency(1 << 16);

    /** Looks at which whose a record is that break, before they begin to work. */
    private final AtomicInteger broken = new AtomicInteger();

    private volatile boolean knowsWhose;
    private final Groups groups = new Groups(
            List.of(CountedObjects.of(new ObjectPrefix("test", new BucketName("bucket"), ""))),
            hash,
            policy,
            this::whose);
    private final StoreParts parts = TestLog.parts(hash, policy, groups);
    private final Recount recount = new Recount(parts, ALL);

    @SuppressWarnings("NullAway.Init") // before each test
    private TestLog disk;

    @BeforeEach
    void writeWhatNobodyKnowsWhoseItIs() throws IOException {
        disk = new TestLog(folder.resolve("disk"), 16, new WriteBudget(Optional.empty(), System::nanoTime), parts);
        for (int i = 0; i < BLOCKS; i++) {
            disk.add(i, 1);
        }
        disk.flush();
        knowsWhose = true;
    }

    @AfterEach
    void close() {
        recount.stop();
        disk.close();
    }

    @Test
    void whatBreaksIsTriedAgain() {
        broken.set(1);

        recount.start();

        Waiting.until(Duration.ofSeconds(20), recount::isDone);
        assertThat(recount.isDone()).isTrue();
        assertThat(groups.state(0).blocks()).isEqualTo(BLOCKS);
    }

    @Test
    void whatCannotBeReadIsNotTakenForCountedAsLongAsItIsThere() throws Exception {
        Segment segment = parts.segments().all().iterator().next();
        segment.file().close();

        recount.start();
        Thread.sleep(500);
        assertThat(recount.isDone()).isFalse();

        parts.segments().remove(segment);
        Waiting.until(Duration.ofSeconds(20), recount::isDone);
        assertThat(recount.isDone()).isTrue();
        parts.segments().add(segment);
    }

    @Test
    void stopDoesNotWaitForTheNextTry() throws IOException {
        parts.segments().all().iterator().next().file().close();
        recount.start();

        long began = System.nanoTime();
        recount.stop();

        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(3));
    }

    private Optional<ObjectId> whose(ByteBuffer headPart) {
        if (!knowsWhose) {
            return Optional.empty();
        }
        if (broken.getAndDecrement() > 0) {
            throw new IllegalStateException("broken");
        }
        return Optional.of(ObjectId.current("test", new ObjectRef(new BucketName("bucket"), new ObjectKey("key"))));
    }
}
