package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.file.FileBackendProvider;
import io.millrace.backend.file.FileBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.testkit.Polling;
import io.millrace.gateway.jobs.store.JobState;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/** Two buckets in folders, and jobs that store in one what is in the other, for tests that stop them at a part. */
final class NearAndFar implements AutoCloseable {
    static final long MIB = 1 << 20;

    private static final BucketName NEAR = new BucketName("near");
    private static final BucketName FAR = new BucketName("far");

    private final Path folder;
    private final Backend near;
    private final Backend far;
    private final CountingBackend target;
    private final JobsFixture jobs;

    NearAndFar(Path folder) throws IOException {
        this.folder = folder;
        near = open(NEAR);
        far = open(FAR);
        target = new CountingBackend(far);
        jobs = new JobsFixture(folder, Map.of(NEAR, near, FAR, target.backend()));
    }

    /** Returns the backend of the bucket {@code far}, as jobs have it. */
    CountingBackend target() {
        return target;
    }

    JobsFixture jobs() {
        return jobs;
    }

    /** Returns the folder of the bucket {@code near}. */
    Path near() {
        return folder.resolve("backend-of-near/near");
    }

    /** Returns the folder of the bucket {@code far}. */
    Path far() {
        return folder.resolve("backend-of-far/far");
    }

    /** Returns the folder of a job's state. */
    Path folderOf(JobStatus job) {
        return folder.resolve("data/jobs").resolve(job.id());
    }

    /** Stores a sparse object with a few distinct bytes in the bucket {@code near}. */
    void store(String key, long size) throws IOException {
        Path file = near().resolve(key);
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        try (RandomAccessFile made = new RandomAccessFile(file.toFile(), "rw")) {
            made.setLength(size);
            for (long at = 0; at < size; at += 7 * MIB) {
                made.seek(at);
                made.write((int) (at / MIB) + 1);
            }
        }
    }

    /** Pauses a job whose part is held, and waits until that is over. */
    void pauseAtAPart(JobStatus job) {
        jobs.jobs().pause(JobsFixture.ADMIN, job.id()).block(JobsFixture.SOON);
        target.release("putPart");
        assertThat(jobs.end(job).state()).isEqualTo(JobState.PAUSED);
    }

    /** Waits until the target has been given so many parts at least. */
    void awaitParts(int parts) {
        Polling.within(JobsFixture.SOON).until(() -> target.total("putPart") >= parts);
    }

    /** Returns how many uploads the bucket {@code far} has. */
    long uploads() {
        return Objects.requireNonNull(far.listUploads(new ListUploadsRequest(FAR, "", "", "", "", 1000))
                        .block(JobsFixture.SOON))
                .uploads()
                .size();
    }

    /** Asserts that the parts of one upload have become one object, and that each was stored once. */
    void assertStoredOnce(int parts) {
        assertThat(target.total("putPart")).isEqualTo(parts);
        assertThat(target.total("createUpload")).isEqualTo(1);
        assertThat(target.total("completeUpload")).isEqualTo(1);
        assertThat(uploads()).isZero();
    }

    private Backend open(BucketName bucket) throws IOException {
        Path objects = Files.createDirectories(folder.resolve("backend-of-" + bucket));
        Files.createDirectory(objects.resolve(bucket.value()));
        return new FileBackendProvider().create(bucket.value(), new FileBackendSettings(objects));
    }

    @Override
    public void close() {
        jobs.close();
        near.close().block(JobsFixture.SOON);
        far.close().block(JobsFixture.SOON);
    }
}
