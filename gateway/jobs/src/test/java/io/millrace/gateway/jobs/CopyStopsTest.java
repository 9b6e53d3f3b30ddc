package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.jobs.store.JobState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests cancelled, paused and interrupted copies: what they leave at the target, and where they continue. */
@ExtendWith(BufferLeakExtension.class)
@Timeout(120)
class CopyStopsTest {
    private static final long MIB = NearAndFar.MIB;

    /** The size of an object in {@link #PARTS} of 8 MiB, the last one short. */
    private static final long LARGE = 195 * MIB;

    private static final int PARTS = 25;
    private static final long PART = 8 * MIB;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private NearAndFar buckets;
    private CountingBackend target;
    private JobsFixture jobs;

    @BeforeEach
    void start() throws IOException {
        buckets = new NearAndFar(folder);
        target = buckets.target();
        jobs = buckets.jobs();
    }

    @AfterEach
    void stop() {
        buckets.close();
    }

    @Test
    void cancelStopsTransferAndLeavesNoUpload() throws IOException {
        buckets.store("big/a", LARGE);
        buckets.store("big/b", LARGE);
        List<JobState> whileGivingUp = new CopyOnWriteArrayList<>();
        JobStatus job = copy(", 'bandwidth': '64KiB'"); // a part takes two minutes
        target.before(
                "abortUpload",
                () -> whileGivingUp.add(
                        jobs.jobs().get(JobsFixture.ADMIN, job.id()).state()));
        await(() -> target.total("createUpload") == 2);

        JobStatus requested = Objects.requireNonNull(
                jobs.jobs().cancel(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON));
        JobStatus ended = jobs.end(job);

        assertThat(requested.state()).isEqualTo(JobState.CANCELLING);
        assertThat(ended.state()).isEqualTo(JobState.CANCELLED);
        assertThat(whileGivingUp).containsExactly(JobState.CANCELLING, JobState.CANCELLING);
        assertThat(target.total("putPart")).isZero();
        assertThat(buckets.uploads()).isZero();
        assertThat(notes(job)).isEmpty();
    }

    @Test
    void cancelStopsSingleWrite() throws IOException {
        buckets.store("big/a", 100 * MIB);
        JobStatus job = copy(", 'bandwidth': '1MiB'");
        jobs.await(job.id(), status -> status.state() == JobState.RUNNING);

        jobs.jobs().cancel(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        assertThat(jobs.end(job).state()).isEqualTo(JobState.CANCELLED);
        assertThat(target.total("put")).isZero();
        assertThat(names()).isEmpty();
    }

    @Test
    void pausedCopyContinuesAtItsPart() throws IOException {
        JobStatus job = pausedAtItsFirstPart();
        int parts = target.total("putPart");
        assertThat(buckets.uploads()).isEqualTo(1);
        jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        JobStatus ended = jobs.end(job);
        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(parts).isLessThan(PARTS);
        buckets.assertStoredOnce(PARTS);
        assertSame("big/a");
        assertThat(notes(job)).isEmpty();
    }

    @Test
    void stoppedCopyShowsWhatItHasDone() throws IOException {
        JobStatus job = countedAndHeldAtItsThirdPart();

        jobs.jobs().pause(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        target.release("putPart");
        JobStatus paused = jobs.end(job);
        jobs.restart();
        JobStatus restarted = jobs.jobs().get(JobsFixture.ADMIN, job.id());

        // The last part may have been stored while it was cut.
        assertThat(paused.state()).isEqualTo(JobState.PAUSED);
        assertThat(paused.report().percent().orElseThrow()).isBetween(8.0, 99.9);
        assertThat(paused.progress().movedBytes()).isBetween(2 * PART, LARGE);
        assertThat(restarted.report()).isEqualTo(paused.report());
        jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        JobStatus ended = jobs.end(job);
        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(ended.progress().movedBytes()).isBetween(LARGE - PART, LARGE);
        assertThat(ended.progress().underWayBytes()).isZero();
    }

    /** A job has a percentage once its objects are counted, which goes on beside the copying. */
    private JobStatus countedAndHeldAtItsThirdPart() throws IOException {
        JobStatus job = heldAfter(3);
        jobs.await(
                job.id(),
                status -> target.total("putPart") >= 3
                        && status.report().percent().isPresent());
        return job;
    }

    private JobStatus pausedAtItsFirstPart() throws IOException {
        JobStatus job = heldAfter(1);
        buckets.awaitParts(1);
        buckets.pauseAtAPart(job);
        return job;
    }

    /** Begins the copy of a large object, whose parts are held after some. */
    private JobStatus heldAfter(int parts) throws IOException {
        buckets.store("big/a", LARGE);
        target.holdAfter(parts, "putPart");
        return copy(", 'bandwidth': '1GiB'");
    }

    @Test
    void cancelledCopyShowsHowFarItCame() throws IOException {
        JobStatus job = countedAndHeldAtItsThirdPart();

        jobs.jobs().cancel(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        target.release("putPart");

        JobStatus ended = jobs.end(job);
        assertThat(ended.state()).isEqualTo(JobState.CANCELLED);
        assertThat(ended.report().percent().orElseThrow()).isBetween(8.0, 99.9);
        assertThat(ended.progress().movedBytes()).isBetween(2 * PART, LARGE);
    }

    @Test
    void restartContinuesAtItsPart() throws IOException {
        buckets.store("big/a", LARGE);
        JobStatus job = copy(", 'bandwidth': '96MiB'");
        buckets.awaitParts(1);

        jobs.restart();

        assertThat(jobs.end(job).state()).isEqualTo(JobState.DONE);
        assertThat(target.total("putPart")).isEqualTo(PARTS);
        assertThat(target.total("createUpload")).isEqualTo(1);
        assertSame("big/a");
    }

    @Test
    void objectThatIsThereAfterKillBeforeTheFirstRecordIsDone() throws IOException {
        buckets.store("big/a", LARGE);
        JobStatus job = copy(", 'bandwidth': '1MiB'");
        await(() -> target.total("createUpload") == 1);
        Path far = buckets.far().resolve("big/a");

        jobs.interrupted(() -> {
            Files.deleteIfExists(buckets.folderOf(job).resolve("checkpoint.json"));
            Files.createDirectories(Objects.requireNonNull(far.getParent()));
            Files.copy(buckets.near().resolve("big/a"), far);
        });

        JobStatus ended = jobs.end(job);
        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(ended.progress().done()).isEqualTo(1);
        assertThat(ended.progress().skipped()).isZero();
    }

    @Test
    void uploadOfOlderSourceIsAborted() throws IOException {
        JobStatus job = pausedAtItsFirstPart();
        buckets.store("big/a", LARGE + 1);

        jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        assertThat(jobs.end(job).state()).isEqualTo(JobState.DONE);
        assertThat(target.total("createUpload")).isEqualTo(2);
        assertSame("big/a");
        assertThat(buckets.uploads()).isZero();
    }

    @Test
    void failedPartKeepsTheOthers() throws IOException {
        buckets.store("big/a", LARGE);
        List<String> failed = new CopyOnWriteArrayList<>();
        target.before("putPart", () -> {
            if (failed.isEmpty()) {
                failed.add("once");
                throw new BackendException(BackendException.FailureKind.UNAVAILABLE, "away");
            }
        });

        JobStatus ended = jobs.end(copy(""));

        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(target.total("putPart")).isEqualTo(PARTS);
        assertThat(target.total("createUpload")).isEqualTo(1);
        assertSame("big/a");
    }

    @Test
    void interruptedCancelContinuesAfterStart() throws IOException {
        JobStatus job = cancelledWhileTheTargetIsAway();
        Path file = buckets.folderOf(job).resolve("job.json");
        jobs.interrupted(() -> {
            Files.writeString(file, Files.readString(file).replace("\"CANCELLED\"", "\"CANCELLING\""));
            target.before("abortUpload", () -> {});
        });

        assertThat(jobs.end(job).state()).isEqualTo(JobState.CANCELLED);
        assertThat(buckets.uploads()).isZero();
    }

    @Test
    void uploadsOfDeletedJobAreAbortedLater() throws IOException {
        JobStatus job = cancelledWhileTheTargetIsAway();
        jobs.jobs().delete(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        assertThat(buckets.uploads()).isEqualTo(1);

        target.before("abortUpload", () -> {});
        jobs.restart();

        await(() -> buckets.uploads() == 0 && !Files.exists(buckets.folderOf(job)));
    }

    private JobStatus cancelledWhileTheTargetIsAway() throws IOException {
        buckets.store("big/a", LARGE);
        target.before("abortUpload", () -> {
            throw new BackendException(BackendException.FailureKind.UNAVAILABLE, "away");
        });
        JobStatus job = copy(", 'bandwidth': '1MiB'");
        await(() -> target.total("createUpload") == 1);
        jobs.jobs().cancel(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        assertThat(jobs.end(job).state()).isEqualTo(JobState.CANCELLED);
        assertThat(buckets.uploads()).isEqualTo(1);
        return job;
    }

    private JobStatus copy(String more) {
        return jobs.admin(
                ("{'kind': 'copy', 'from': {'bucket': 'near', 'prefix': 'big/'}, 'to': {'bucket': 'far', 'prefix':"
                                + " 'big/'}%s}")
                        .formatted(more));
    }

    private void assertSame(String key) throws IOException {
        assertThat(Files.mismatch(buckets.near().resolve(key), buckets.far().resolve(key)))
                .isEqualTo(-1);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.walk(buckets.far())) {
            return files.filter(Files::isRegularFile).map(Path::toString).toList();
        }
    }

    private List<String> notes(JobStatus job) {
        String[] names = buckets.folderOf(job).toFile().list((in, name) -> name.startsWith("upload-"));
        return List.of(Objects.requireNonNull(names));
    }

    private static void await(Callable<Boolean> reached) {
        Polling.within(JobsFixture.SOON).until(reached);
    }
}
