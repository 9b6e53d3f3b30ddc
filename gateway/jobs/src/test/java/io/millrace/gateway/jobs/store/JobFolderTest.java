package io.millrace.gateway.jobs.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.gateway.jobs.plan.DeletionBudget;
import io.millrace.gateway.jobs.plan.JobRequests;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a folder is readable after a kill at any byte. */
class JobFolderTest {
    private static final Instant NOW = Instant.parse("2026-05-20T10:00:01Z");

    private static final StoredJob JOB = StoredJob.submitted(
            "01", "me", JobRequests.of("{'kind': 'prefetch'}"), Instant.parse("2026-05-20T10:00:00Z"));

    @TempDir
    Path jobs;

    private JobFolder folder;

    @BeforeEach
    void create() throws IOException {
        folder = JobFolder.create(jobs, JOB);
    }

    @Test
    void readsWhatItWrote() throws IOException {
        folder.append("a", TaskResult.done(10, 5), false);
        folder.append("b", TaskResult.failed(3, "no"), false);
        folder.append(new ObjectFailure("b", "no", NOW));

        JobFolder again = reopened();

        assertThat(again.read()).isEqualTo(JOB);
        JobCheckpoint restored = again.restore();
        assertThat(restored.position()).isNull();
        assertThat(restored.beyond()).containsExactly("a", "b");
        assertThat(restored.progress()).isEqualTo(new JobProgress(2, 0, false, 1, 10, 0, 0, 1, 3, 5, 0));
        assertThat(again.failures()).containsExactly(new ObjectFailure("b", "no", NOW));
    }

    @Test
    void boundsBytesOfFailures() throws IOException {
        ObjectFailure failure = new ObjectFailure("k".repeat(1000), "no".repeat(500), NOW);
        for (int i = 0; i < 10_000; i++) {
            folder.append(failure);
        }

        assertThat(Files.size(folder.path().resolve("failures")))
                .isBetween(JobFolder.MOST_FAILURE_BYTES, JobFolder.MOST_FAILURE_BYTES + 3000);
        assertThat(reopened().failures()).containsExactly(failure);
    }

    @Test
    void checkpointReplacesJournal() throws IOException {
        folder.append("a", TaskResult.done(10, 5), false);
        JobProgress reached = JobProgress.NONE.plus(TaskResult.done(10, 5));
        folder.write("a", List.of("c"), reached, UnfinishedProgress.NONE, null);
        folder.append("b", TaskResult.skipped(1, "there"), false);

        JobCheckpoint restored = reopened().restore();

        assertThat(restored.position()).isEqualTo("a");
        assertThat(restored.beyond()).containsExactly("c", "b");
        assertThat(restored.progress()).isEqualTo(reached.plus(TaskResult.skipped(1, "there")));
        assertThat(jobs.resolve("01/journal-0")).doesNotExist();
    }

    /** What ended since may be what was unfinished, so the rest is a lower bound. */
    @Test
    void unfinishedWorkOutlivesAKillOnce() throws IOException {
        JobProgress reached = JobProgress.NONE.counted(2, 300, true);
        folder.write(null, List.of(), reached, new UnfinishedProgress(120, 110, 0.4), null);
        assertThat(reopened().restore().left()).isEqualTo(new UnfinishedProgress(120, 110, 0.4));

        folder.append("a", TaskResult.done(100, 90), false);

        JobCheckpoint restored = reopened().restore();
        assertThat(restored.progress().movedBytes()).isEqualTo(90);
        assertThat(restored.left()).isEqualTo(new UnfinishedProgress(20, 20, 0));
    }

    @Test
    void deletionsSinceTheCheckpointAreSpent() throws IOException {
        DeletionBudget budget = new DeletionBudget(15, 2);
        folder.write(null, List.of(), JobProgress.NONE, UnfinishedProgress.NONE, budget);
        folder.append("a", TaskResult.done(0, 0), true);
        folder.append("b", TaskResult.done(10, 10), false);
        folder.append("c", TaskResult.done(0, 0), true);

        assertThat(reopened().restore().deletions()).isEqualTo(new DeletionBudget(15, 4));
    }

    /** A field that an earlier version did not write is 0. */
    @Test
    void readsCheckpointOfEarlierVersion() throws IOException {
        Files.writeString(jobs.resolve("01/checkpoint.json"), """
                {"journal":3,"position":"a","beyond":[],"progress":{"found":2,"foundBytes":20,"counted":true,"done":1,\
                "doneBytes":10,"skipped":0,"skippedBytes":0,"failed":1,"movedBytes":10}}""");

        assertThat(reopened().restore().progress()).isEqualTo(new JobProgress(2, 20, true, 1, 10, 0, 0, 1, 0, 10, 0));
        assertThat(reopened().restore().left()).isEqualTo(UnfinishedProgress.NONE);
        assertThat(reopened().restore().deletions()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"key\":\"b\",\"outc", "{", "{\"key\":\"\u00e9"})
    void ignoresCutLine(String cut) throws IOException {
        folder.append("a", TaskResult.done(10, 5), false);
        folder.close();
        byte[] bytes = cut.getBytes(StandardCharsets.UTF_8);
        // Cut inside a letter of two bytes.
        Files.write(
                jobs.resolve("01/journal-0"),
                Arrays.copyOf(bytes, Math.max(1, bytes.length - 1)),
                StandardOpenOption.APPEND);

        JobFolder again = reopened();
        assertThat(again.restore().beyond()).containsExactly("a");
        again.append("c", TaskResult.done(1, 1), false);

        assertThat(reopened().restore().beyond()).containsExactly("a", "c");
    }

    @Test
    void returnsLastReasonAndFirstTimeOfAnObjectThatFails() throws IOException {
        folder.append(new ObjectFailure("a", "first", NOW));
        folder.append(new ObjectFailure("b", "other", NOW));
        folder.append(new ObjectFailure("a", "last", NOW.plusSeconds(1)));

        assertThat(folder.failures())
                .containsExactly(new ObjectFailure("a", "last", NOW), new ObjectFailure("b", "other", NOW));
    }

    @Test
    void readsFailuresOfAnEarlierVersion() throws IOException {
        Files.writeString(jobs.resolve("01/failures"), "{\"key\":\"a\",\"reason\":\"no\"}\n");

        assertThat(folder.failures()).containsExactly(new ObjectFailure("a", "no", null));
    }

    /** Names in it may be URLs with signatures. */
    @Test
    void filesArePrivate() throws IOException {
        folder.append("a", TaskResult.failed(1, "no"), false);
        folder.append(new ObjectFailure("a", "no", NOW));

        for (String name : List.of("job.json", "journal-0", "failures")) {
            assertThat(Files.getPosixFilePermissions(jobs.resolve("01").resolve(name)))
                    .as(name)
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
    }

    @Test
    void refusesJobOfNewerVersion() throws IOException {
        Path file = jobs.resolve("01/job.json");
        Files.writeString(file, Files.readString(file).replace("\"format\":1", "\"format\":2"));

        assertThatThrownBy(() -> reopened().read()).hasMessageContaining("newer Millrace");
    }

    @Test
    void ignoresIncompleteFolder() throws IOException {
        Files.createDirectory(jobs.resolve("02"));

        assertThat(JobFolder.all(jobs)).hasSize(1);
        folder.delete();
        assertThat(JobFolder.all(jobs)).isEmpty();
        assertThat(jobs.resolve("01")).doesNotExist();
    }

    private JobFolder reopened() throws IOException {
        return JobFolder.all(jobs).get(0);
    }
}
