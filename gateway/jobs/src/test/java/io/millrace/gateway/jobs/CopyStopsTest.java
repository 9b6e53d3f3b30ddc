package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.file.FileBackendProvider;
import io.millrace.backend.file.FileBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.BufferLeakExtension;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.jobs.store.JobState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    private static final BucketName NEAR = new BucketName("near");
    private static final BucketName FAR = new BucketName("far");
    private static final long MIB = 1 << 20;

    /** The size of an object in {@link #PARTS} of 8 MiB, the last one short. */
    private static final long LARGE = 195 * MIB;

    private static final int PARTS = 25;
    private static final long PART = 8 * MIB;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final List<Backend> backends = new ArrayList<>();
    private CountingBackend target;
    private JobsFixture jobs;

    @BeforeEach
    void start() throws IOException {
        Backend near = open(NEAR);
        target = new CountingBackend(open(FAR));
        jobs = new JobsFixture(folder, Map.of(NEAR, near, FAR, target.backend()));
    }

    @AfterEach
    void stop() {
        jobs.close();
        backends.forEach(backend -> backend.close().block(JobsFixture.SOON));
    }

    @Test
    void cancelStopsTransferAndLeavesNoUpload() throws IOException {
        store("big/a", LARGE);
        store("big/b", LARGE);
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
        assertThat(uploads()).isZero();
        assertThat(notes(job)).isEmpty();
    }

    @Test
    void cancelStopsSingleWrite() throws IOException {
        store("big/a", 100 * MIB);
        JobStatus job = copy(", 'bandwidth': '1MiB'");
        jobs.await(job.id(), status -> status.state() == JobState.RUNNING);

        jobs.jobs().cancel(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        assertThat(jobs.end(job).state()).isEqualTo(JobState.CANCELLED);
        assertThat(target.total("put")).isZero();
        assertThat(names()).isEmpty();
    }

    @Test
    void pausedCopyContinuesAtItsPart() throws IOException {
        store("big/a", LARGE);
        target.holdAfter(1, "putPart");
        JobStatus job = copy(", 'bandwidth': '1GiB'");
        await(() -> target.total("putPart") >= 1);

        jobs.jobs().pause(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        target.release("putPart");
        assertThat(jobs.end(job).state()).isEqualTo(JobState.PAUSED);
        int parts = target.total("putPart");
        assertThat(uploads()).isEqualTo(1);
        jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        JobStatus ended = jobs.end(job);
        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(parts).isLessThan(PARTS);
        assertThat(target.total("putPart")).isEqualTo(PARTS);
        assertThat(target.total("createUpload")).isEqualTo(1);
        assertThat(target.total("completeUpload")).isEqualTo(1);
        assertSame("big/a");
        assertThat(uploads()).isZero();
        assertThat(notes(job)).isEmpty();
    }

    @Test
    void stoppedCopyShowsWhatItHasDone() throws IOException {
        store("big/a", LARGE);
        target.holdAfter(3, "putPart");
        JobStatus job = copy(", 'bandwidth': '1GiB'");
        awaitCountedAndBegun(job);

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
    private void awaitCountedAndBegun(JobStatus job) {
        jobs.await(
                job.id(),
                status -> target.total("putPart") >= 3
                        && status.report().percent().isPresent());
    }

    @Test
    void cancelledCopyShowsHowFarItCame() throws IOException {
        store("big/a", LARGE);
        target.holdAfter(3, "putPart");
        JobStatus job = copy(", 'bandwidth': '1GiB'");
        awaitCountedAndBegun(job);

        jobs.jobs().cancel(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        target.release("putPart");

        JobStatus ended = jobs.end(job);
        assertThat(ended.state()).isEqualTo(JobState.CANCELLED);
        assertThat(ended.report().percent().orElseThrow()).isBetween(8.0, 99.9);
        assertThat(ended.progress().movedBytes()).isBetween(2 * PART, LARGE);
    }

    @Test
    void restartContinuesAtItsPart() throws IOException {
        store("big/a", LARGE);
        JobStatus job = copy(", 'bandwidth': '96MiB'");
        await(() -> target.total("putPart") >= 1);

        jobs.restart();

        assertThat(jobs.end(job).state()).isEqualTo(JobState.DONE);
        assertThat(target.total("putPart")).isEqualTo(PARTS);
        assertThat(target.total("createUpload")).isEqualTo(1);
        assertSame("big/a");
    }

    @Test
    void objectThatIsThereAfterKillBeforeTheFirstRecordIsDone() throws IOException {
        store("big/a", LARGE);
        JobStatus job = copy(", 'bandwidth': '1MiB'");
        await(() -> target.total("createUpload") == 1);
        Path far = folder.resolve("backend-of-far/far/big/a");

        jobs.interrupted(() -> {
            Files.deleteIfExists(folder.resolve("data/jobs").resolve(job.id()).resolve("checkpoint.json"));
            Files.createDirectories(Objects.requireNonNull(far.getParent()));
            Files.copy(folder.resolve("backend-of-near/near/big/a"), far);
        });

        JobStatus ended = jobs.end(job);
        assertThat(ended.state()).isEqualTo(JobState.DONE);
        assertThat(ended.progress().done()).isEqualTo(1);
        assertThat(ended.progress().skipped()).isZero();
    }

    @Test
    void uploadOfOlderSourceIsAborted() throws IOException {
        store("big/a", LARGE);
        target.holdAfter(1, "putPart");
        JobStatus job = copy(", 'bandwidth': '1GiB'");
        await(() -> target.total("putPart") >= 1);
        jobs.jobs().pause(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        target.release("putPart");
        jobs.end(job);
        store("big/a", LARGE + 1);

        jobs.jobs().resume(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);

        assertThat(jobs.end(job).state()).isEqualTo(JobState.DONE);
        assertThat(target.total("createUpload")).isEqualTo(2);
        assertSame("big/a");
        assertThat(uploads()).isZero();
    }

    @Test
    void failedPartKeepsTheOthers() throws IOException {
        store("big/a", LARGE);
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
        Path file = folder.resolve("data/jobs").resolve(job.id()).resolve("job.json");
        jobs.interrupted(() -> {
            Files.writeString(file, Files.readString(file).replace("\"CANCELLED\"", "\"CANCELLING\""));
            target.before("abortUpload", () -> {});
        });

        assertThat(jobs.end(job).state()).isEqualTo(JobState.CANCELLED);
        assertThat(uploads()).isZero();
    }

    @Test
    void uploadsOfDeletedJobAreAbortedLater() throws IOException {
        JobStatus job = cancelledWhileTheTargetIsAway();
        jobs.jobs().delete(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        assertThat(uploads()).isEqualTo(1);

        target.before("abortUpload", () -> {});
        jobs.restart();

        await(() -> uploads() == 0 && !Files.exists(folder.resolve("data/jobs").resolve(job.id())));
    }

    private JobStatus cancelledWhileTheTargetIsAway() throws IOException {
        store("big/a", LARGE);
        target.before("abortUpload", () -> {
            throw new BackendException(BackendException.FailureKind.UNAVAILABLE, "away");
        });
        JobStatus job = copy(", 'bandwidth': '1MiB'");
        await(() -> target.total("createUpload") == 1);
        jobs.jobs().cancel(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        assertThat(jobs.end(job).state()).isEqualTo(JobState.CANCELLED);
        assertThat(uploads()).isEqualTo(1);
        return job;
    }

    private JobStatus copy(String more) {
        return jobs.admin(
                ("{'kind': 'copy', 'from': {'bucket': 'near', 'prefix': 'big/'}, 'to': {'bucket': 'far', 'prefix':"
                                + " 'big/'}%s}")
                        .formatted(more));
    }

    private Backend open(BucketName bucket) throws IOException {
        Path objects = Files.createDirectories(folder.resolve("backend-of-" + bucket));
        Files.createDirectory(objects.resolve(bucket.value()));
        Backend opened = new FileBackendProvider().create(bucket.value(), new FileBackendSettings(objects));
        backends.add(opened);
        return opened;
    }

    /** Creates a sparse file with a few distinct bytes. */
    private void store(String key, long size) throws IOException {
        Path file = folder.resolve("backend-of-near/near").resolve(key);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(size);
            for (long at = 0; at < size; at += 7 * MIB) {
                made.seek(at);
                made.write((int) (at / MIB));
            }
        }
    }

    private void assertSame(String key) throws IOException {
        assertThat(Files.mismatch(
                        folder.resolve("backend-of-near/near").resolve(key),
                        folder.resolve("backend-of-far/far").resolve(key)))
                .isEqualTo(-1);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("backend-of-far/far"))) {
            return files.filter(Files::isRegularFile).map(Path::toString).toList();
        }
    }

    private List<String> notes(JobStatus job) {
        String[] names =
                folder.resolve("data/jobs").resolve(job.id()).toFile().list((in, name) -> name.startsWith("upload-"));
        return List.of(Objects.requireNonNull(names));
    }

    private long uploads() {
        return Objects.requireNonNull(backends.get(1)
                        .listUploads(new ListUploadsRequest(FAR, "", "", "", "", 1000))
                        .block(JobsFixture.SOON))
                .uploads()
                .size();
    }

    private static void await(Callable<Boolean> reached) {
        Polling.within(JobsFixture.SOON).until(reached);
    }
}
