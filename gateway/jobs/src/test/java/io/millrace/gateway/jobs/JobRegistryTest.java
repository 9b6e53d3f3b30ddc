package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.BucketPolicy;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.JobRequests;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobFolder;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.ProgressReport;
import io.millrace.gateway.jobs.store.StoredJob;
import io.millrace.gateway.jobs.store.UnfinishedProgress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the memory bound of jobs, whose requests may have a megabyte each. */
class JobRegistryTest {
    private static final ProgressReport NO_PROGRESS = ProgressReport.atRest(JobProgress.NONE, UnfinishedProgress.NONE);

    private static final Instant NOW = Instant.parse("2026-05-20T10:00:00Z");
    private static final long ROOM = 1_000_000;

    @TempDir
    Path folder;

    private final JobRegistry known = new JobRegistry(() -> new Authorizer(name -> BucketPolicy.NONE), ROOM);
    private int number;

    @Test
    void waitingJobsAreBoundedAndOneOwnerToHalf() throws IOException {
        for (int i = 0; i < 4; i++) {
            add("alice", JobState.SUBMITTED);
        }
        assertThatThrownBy(() -> add("alice", JobState.SUBMITTED))
                .isInstanceOfSatisfying(
                        JobException.class, full -> assertThat(full.kind()).isEqualTo(JobException.Kind.FULL));
        for (int i = 0; i < 4; i++) {
            add("bob", JobState.PAUSED);
        }
        add("carol", JobState.SUBMITTED);
        assertThatThrownBy(() -> add("carol", JobState.SUBMITTED)).isInstanceOf(JobException.class);

        assertThat(ids("alice")).hasSize(4);
        assertThat(ids("bob")).hasSize(4);
    }

    @Test
    void oldestEndedJobsMakeRoom() throws IOException {
        for (int i = 0; i < 20; i++) {
            add("alice", JobState.DONE);
        }

        assertThat(ids("alice")).hasSize(9).first().isEqualTo("19");
        assertThat(folder.toFile().list()).hasSize(9);
    }

    @Test
    void neededJobsStay() throws IOException {
        Job kept = add("alice", JobState.DONE);
        for (int i = 0; i < 20; i++) {
            StoredJob next = job("bob", JobState.DONE);
            known.evictFor(next, job -> job == kept);
            known.add(new Job(JobFolder.create(folder, next), next, NO_PROGRESS));
        }

        assertThat(ids("alice")).containsExactly("00");
    }

    private Job add(String owner, JobState state) throws IOException {
        StoredJob stored = job(owner, state);
        known.evictFor(stored, job -> false);
        Job job = new Job(JobFolder.create(folder, stored), stored, NO_PROGRESS);
        known.add(job);
        return job;
    }

    /** Returns a job of about 100,000 bytes. */
    private StoredJob job(String owner, JobState state) {
        String keys = String.join("','", Collections.nCopies(100, "k".repeat(936)));
        RawJobRequest request =
                JobRequests.of("{'kind': 'prefetch', 'from': {'bucket': 'data', 'keys': ['%s']}}".formatted(keys));
        StoredJob submitted = StoredJob.submitted("%02d".formatted(number++), owner, request, NOW);
        return state == JobState.SUBMITTED ? submitted : submitted.stopped(state, "", NOW, 0);
    }

    private List<String> ids(String owner) {
        return known.seenBy(JobsFixture.who(owner), state -> true, Optional.empty(), 100).stream()
                .map(JobStatus::id)
                .toList();
    }
}
