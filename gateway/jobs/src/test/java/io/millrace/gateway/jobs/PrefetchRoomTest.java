package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.jobs.store.JobState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a prefetch says of the room in the cache: beforehand, and at its end. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class PrefetchRoomTest {
    private static final BucketName BUCKET = new BucketName("data");
    private static final int MIB = 1 << 20;

    @TempDir
    Path folder;

    private final InMemoryBackend objects = new InMemoryBackend().createBucket(BUCKET);
    private JobsFixture jobs;

    @BeforeEach
    void start() throws IOException {
        IntStream.range(0, 8).forEach(number -> store("few/" + number));
        IntStream.range(0, 150).forEach(number -> store("many/" + number));
        jobs = new JobsFixture(folder, "64MiB", Map.of(BUCKET, objects));
    }

    @AfterEach
    void stop() {
        jobs.close();
    }

    @Test
    void warnsBeforehandThatNotAllFits() {
        JobStatus job = jobs.admin(prefetch("many/", ", 'bandwidth': '1MiB'"));

        JobStatus warned = jobs.await(
                job.id(), now -> !now.message().isEmpty() || !now.state().isActive());

        assertThat(warned.state()).isEqualTo(JobState.RUNNING);
        assertThat(warned.message()).contains("its 150MiB do not fit into the cache, which has room for ");
    }

    @Test
    void dryRunWarnsToo() {
        JobStatus job = jobs.end(jobs.admin(prefetch("many/", ", 'dryRun': true")));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.message()).contains("do not fit into the cache");
    }

    @Test
    void tellsAtTheEndHowMuchIsCachedStill() {
        JobStatus job = jobs.end(jobs.admin(prefetch("many/", "")));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.message()).matches("only [0-9.]+[KM]iB of its 150MiB are cached still: .*");
    }

    @Test
    void saysNothingIfAllIsCached() {
        JobStatus job = jobs.end(jobs.admin(prefetch("few/", ", 'pin': 'P1D'")));

        assertThat(job.state()).isEqualTo(JobState.DONE);
        assertThat(job.message()).isEmpty();
    }

    @Test
    void pinThatCannotHoldFails() {
        JobStatus job = jobs.end(jobs.admin(prefetch("many/", ", 'pin': 'P1D'")));

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message()).contains("its 150MiB cannot be pinned", "half of the cache");
    }

    /** Its names have no sizes, so that only the end tells. */
    @Test
    void pinOfNamesThatCannotHoldFailsAtItsEnd() {
        JobStatus job = jobs.end(jobs.admin(
                "{'kind': 'prefetch', 'from': {'bucket': 'data', 'template': 'many/{0..49}'}, 'pin': 'P1D'}"));

        assertThat(job.state()).isEqualTo(JobState.FAILED);
        assertThat(job.message()).contains("its 50MiB cannot be pinned", "half of the cache");
        assertThat(job.progress().ended()).isEqualTo(50);
    }

    private static String prefetch(String prefix, String more) {
        return "{'kind': 'prefetch', 'from': {'bucket': 'data', 'prefix': '%s'}%s}".formatted(prefix, more);
    }

    private void store(String key) {
        objects.store(new ObjectRef(BUCKET, new ObjectKey(key)), new byte[MIB], HeaderList.EMPTY);
    }
}
