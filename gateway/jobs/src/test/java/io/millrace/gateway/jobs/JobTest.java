package io.millrace.gateway.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.jobs.plan.JobRequests;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.ObjectFilter;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A request may have a megabyte: it is parsed once, and what is over does not keep the result. */
class JobTest {
    private static final Instant NOW = Instant.parse("2026-05-20T10:00:00Z");
    private static final RawJobRequest REQUEST =
            JobRequests.of("{'kind': 'prefetch', 'from': {'bucket': 'data', 'newerThan': '7d'}}");

    @TempDir
    Path folder;

    @Test
    void keepsTheParsedRequestUntilItIsOver() throws IOException {
        StoredJob stored = StoredJob.submitted("1", "somebody", REQUEST, NOW);
        JobSpec parsed = JobTypes.read(REQUEST, NOW);
        Job job = new Job(JobFolder.create(folder, stored), stored, parsed);

        assertThat(job.spec()).isSameAs(parsed);
        job.keep(stored.stopped(JobState.PAUSED, "", NOW, 0));
        assertThat(job.spec()).isSameAs(parsed);

        job.keep(stored.stopped(JobState.DONE, "", NOW, 0));
        assertThat(job.spec()).isNotSameAs(parsed).isEqualTo(parsed).isNotSameAs(job.spec());
    }

    @Test
    void weighsItsPatternsUntilItIsOver() throws IOException {
        RawJobRequest request = JobRequests.of("{'kind': 'prefetch', 'from': {'bucket': 'data', 'regex': 'a.*b'}}");
        StoredJob stored = StoredJob.submitted("1", "somebody", request, NOW);
        Job job = new Job(JobFolder.create(folder, stored), stored, JobTypes.read(request, NOW));
        long waiting = job.weight();

        job.keep(stored.stopped(JobState.DONE, "", NOW, 0));

        long patterns = ObjectFilter.weight(null, null, "a.*b");
        assertThat(patterns).isPositive();
        assertThat(job.weight()).isEqualTo(waiting - patterns);
    }

    /** Else a selection by age would grow with each restart. */
    @Test
    void agesCountFromTheSubmissionAfterARestart() throws IOException {
        StoredJob stored = StoredJob.submitted("1", "somebody", REQUEST, NOW);
        Job job = new Job(
                JobFolder.create(folder, stored),
                stored,
                ProgressReport.atRest(JobProgress.NONE, UnfinishedProgress.NONE));

        assertThat(job.spec().from().filter().since()).contains(Instant.parse("2026-05-13T10:00:00Z"));
        assertThat(job.spec()).isSameAs(job.spec());
    }
}
