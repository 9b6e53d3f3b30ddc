package io.millrace.gateway.jobs;

import io.millrace.backend.file.FileBackendProvider;
import io.millrace.backend.file.FileBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.jobs.store.JobState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A separate process that packs, or goes on with the pack of an earlier one, and ends as by a kill at a call. */
final class KillablePack {
    static final BucketName NEAR = new BucketName("near");
    static final BucketName FAR = new BucketName("far");

    /** The exit code of a process that was killed. */
    static final int KILLED = 137;

    private KillablePack() {}

    /** The folder of the objects, that of the state, and before which call of which name to the target it ends. */
    public static void main(String[] args) throws IOException {
        CountingBackend target = new CountingBackend(backend(Path.of(args[0]), FAR));
        AtomicInteger left = new AtomicInteger(Integer.parseInt(args[3]));
        target.before(args[2], () -> {
            if (left.decrementAndGet() == 0) {
                Runtime.getRuntime().halt(KILLED);
            }
        });
        boolean isDone;
        try (JobsFixture jobs = fixture(Path.of(args[1]), backend(Path.of(args[0]), NEAR), target.backend())) {
            isDone = isDone(jobs);
        }
        System.exit(isDone ? 0 : 1);
    }

    private static boolean isDone(JobsFixture jobs) {
        List<JobStatus> earlier = jobs.jobs().list(JobsFixture.ADMIN, state -> true, Optional.empty(), 1);
        JobStatus job = jobs.end(earlier.isEmpty() ? pack(jobs, "killed/", true) : earlier.get(0));
        System.out.println(job);
        // What an earlier process has stored counts as done by this job, and nothing twice.
        return job.state() == JobState.DONE
                && job.progress().done() == job.progress().found()
                && job.progress().skipped() == 0;
    }

    static JobStatus pack(JobsFixture jobs, String prefix, boolean append) {
        return jobs.admin("{'kind': 'pack', 'from': {'bucket': 'near', 'prefix': 'set/'}, 'to': {'bucket': 'far',"
                + " 'prefix': '" + prefix + "'}, 'shards': {'name': '%04d.tar', 'samples': 5, 'append': " + append
                + "}, 'workers': 1}");
    }

    static JobsFixture fixture(Path state, Backend source, Backend target) throws IOException {
        return new JobsFixture(state, Map.of(NEAR, source, FAR, target));
    }

    /** Opens the backend of a bucket. */
    static Backend backend(Path objects, BucketName bucket) throws IOException {
        return new FileBackendProvider()
                .create(bucket.value(), new FileBackendSettings(objects.resolve(bucket.value())));
    }
}
