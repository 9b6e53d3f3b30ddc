package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.jobs.store.JobEvent;
import io.millrace.gateway.jobs.store.JobState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a job tells who paused, resumed or cancelled it, and what else interrupted it, also after restarts. */
class JobTimelineTest {
    private static final BucketName NEAR = new BucketName("near");
    private static final BucketName FAR = new BucketName("far");
    private static final int OBJECTS = 9;

    @TempDir
    Path folder;

    private final InMemoryBackend near = new InMemoryBackend(EnumSet.of(Capability.WRITE)).createBucket(NEAR);
    private final InMemoryBackend far = new InMemoryBackend(EnumSet.of(Capability.WRITE)).createBucket(FAR);
    private JobsFixture jobs;

    @BeforeEach
    void open() throws IOException {
        for (int i = 0; i < OBJECTS; i++) {
            near.store(new ObjectRef(NEAR, new ObjectKey("a/" + i)), new byte[1 << 20], HeaderList.EMPTY);
        }
        jobs = new JobsFixture(folder, Map.of(NEAR, near, FAR, far));
    }

    @AfterEach
    void close() throws IOException {
        jobs.close();
    }

    @Test
    void pausesStopsAndTheCancelStayOverRestarts() throws IOException {
        JobStatus job = slowCopy();
        jobs.jobs().pause(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        jobs.await(job.id(), now -> now.state() == JobState.PAUSED);
        jobs.restart();
        jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        jobs.await(job.id(), now -> now.state() == JobState.RUNNING);
        jobs.restart();
        jobs.await(job.id(), now -> now.state() == JobState.RUNNING);
        jobs.jobs().cancel(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        JobStatus cancelled = jobs.end(job);
        assertThat(cancelled.state()).isEqualTo(JobState.CANCELLED);
        String admin = JobsFixture.ADMIN.name();
        assertThat(eventsOf(cancelled))
                .containsExactly(
                        "paused by " + admin, "resumed by " + admin, "stopped", "restarted", "cancelled by " + admin);
        assertThat(cancelled.events()).extracting(JobEvent::at).isSorted();
        jobs.restart();
        assertThat(jobs.jobs().get(JobsFixture.ADMIN, job.id()).events()).isEqualTo(cancelled.events());
    }

    @Test
    void aKillIsToldFromAStopAndLosesNothingThatWasStored() throws IOException {
        JobStatus job = slowCopy();
        Path file = folder.resolve("data/jobs").resolve(job.id()).resolve("job.json");
        String running = Files.readString(file);
        JobStatus before = jobs.jobs().get(JobsFixture.ADMIN, job.id());

        // What a kill leaves: the file that the run began with.
        FileTime began = FileTime.from(Instant.now().minus(Duration.ofHours(2)));
        jobs.interrupted(() -> {
            Files.writeString(file, running);
            Files.setLastModifiedTime(file, began);
        });

        JobStatus again = jobs.await(job.id(), now -> now.state() == JobState.RUNNING);
        assertThat(eventsOf(again)).containsExactly("restarted-after-kill");
        assertThat(again.progress().done())
                .isGreaterThanOrEqualTo(before.progress().done());
        assertThat(again.activeMillis())
                .as("the run of two hours counts")
                .isGreaterThan(Duration.ofHours(1).toMillis());
    }

    @Test
    void aFailureStaysAfterTheResume() {
        JobStatus job =
                jobs.admin("{'kind': 'copy', 'from': {'bucket': 'near', 'prefix': 'none/'}, 'to': {'bucket': 'far'}}");
        assertThat(jobs.end(job).state()).isEqualTo(JobState.FAILED);
        near.store(new ObjectRef(NEAR, new ObjectKey("none/1")), new byte[1], HeaderList.EMPTY);
        jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        JobStatus done = jobs.end(job);
        assertThat(done.state()).isEqualTo(JobState.DONE);
        assertThat(eventsOf(done)).containsExactly("failed", "resumed by " + JobsFixture.ADMIN.name());
        assertThat(done.events().get(0).detail()).contains("no objects");
    }

    @Test
    void aJobOfAnEarlierVersionHasNoEvents() throws IOException {
        JobStatus job = slowCopy();
        jobs.jobs().pause(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        jobs.await(job.id(), now -> now.state() == JobState.PAUSED);
        Path file = folder.resolve("data/jobs").resolve(job.id()).resolve("job.json");

        jobs.interrupted(
                () -> Files.writeString(file, Files.readString(file).replaceFirst(",\"events\":\\[[^\\]]*\\]", "")));

        assertThat(Files.readString(file)).doesNotContain("events");
        assertThat(jobs.jobs().get(JobsFixture.ADMIN, job.id()).events()).isEmpty();
    }

    @Test
    void aJobThatIsResumedForeverKeepsItsLastEvents() {
        JobStatus job =
                jobs.admin("{'kind': 'copy', 'from': {'bucket': 'near', 'prefix': 'none/'}, 'to': {'bucket': 'far'}}");
        for (int i = 0; i < 40; i++) {
            jobs.end(job);
            jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        }

        JobStatus failed = jobs.end(job);
        assertThat(failed.events())
                .hasSize(64)
                .last()
                .extracting(JobEvent::event)
                .isEqualTo("failed");
    }

    /** Returns a running job that takes minutes. */
    private JobStatus slowCopy() {
        JobStatus job = jobs.admin(
                "{'kind': 'copy', 'workers': 1, 'bandwidth': '1KiB', 'from': {'bucket': 'near'}, 'to': {'bucket':"
                        + " 'far'}}");
        return Objects.requireNonNull(jobs.await(job.id(), now -> now.state() == JobState.RUNNING));
    }

    private static List<String> eventsOf(JobStatus job) {
        return job.events().stream()
                .map(one -> one.by().isEmpty() ? one.event() : one.event() + " by " + one.by())
                .toList();
    }
}
