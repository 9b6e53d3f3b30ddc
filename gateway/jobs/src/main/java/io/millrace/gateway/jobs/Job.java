package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.store.JobEvent;
import io.millrace.gateway.jobs.store.JobEvent.Kind;
import io.millrace.gateway.jobs.store.JobFolder;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.JobTransitions.Event;
import io.millrace.gateway.jobs.store.ProgressReport;
import io.millrace.gateway.jobs.store.StoredJob;
import io.millrace.gateway.jobs.store.UnfinishedProgress;
import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A job with its stored state, its parsed request, its progress and, while it works, its run. Only the job thread
 * changes it; any thread may read its status.
 */
final class Job {
    private static final Logger log = LoggerFactory.getLogger(Job.class);

    private final JobFolder folder;
    private volatile long weight;
    private volatile StoredJob stored;
    private volatile ProgressReport reachedReport;
    private volatile @Nullable JobRun run;
    private @Nullable JobSpec spec;
    private @Nullable JobAccess begunWith;
    private volatile Instant runBegan = Instant.EPOCH;
    private Sinks.Empty<Void> runEnded = Sinks.empty();

    /** @param report of the earlier runs */
    Job(JobFolder folder, StoredJob stored, ProgressReport report) {
        this.folder = folder;
        this.stored = stored;
        this.weight = stored.weight();
        this.reachedReport = report;
    }

    /** Creates a job that was just submitted, and whose request was parsed before. */
    Job(JobFolder folder, StoredJob stored, JobSpec spec) {
        this(folder, stored, ProgressReport.atRest(JobProgress.NONE, UnfinishedProgress.NONE));
        this.spec = spec;
    }

    JobFolder folder() {
        return folder;
    }

    /**
     * Returns the parsed request, which is kept until the job is over. Ages in it count from the submission.
     *
     * @throws io.millrace.gateway.jobs.plan.InvalidJobException if only the program that took the request could parse
     *     it
     */
    JobSpec spec() {
        JobSpec parsed = spec == null ? JobTypes.read(stored.request(), stored.submitted()) : spec;
        spec = stored.state().isOver() ? null : parsed;
        return parsed;
    }

    /** Returns the bytes of memory that the job takes, about; see {@link StoredJob#weight}. */
    long weight() {
        return weight;
    }

    StoredJob stored() {
        return stored;
    }

    @Nullable JobRun run() {
        return run;
    }

    /** Changes the stored state, first on disk. */
    void keep(StoredJob changed) throws IOException {
        folder.write(changed);
        if (changed.state().isOver()) {
            // Before anybody sees that it is over.
            folder.deleteArrangement();
            spec = null;
            weight = changed.weight();
        }
        stored = changed;
    }

    /** @param access the rights and buckets of the run */
    void begin(JobRun begun, JobAccess access, Instant now) throws IOException {
        keep(stored.begun(stored.after(Event.BEGIN), now));
        runBegan = now;
        runEnded = Sinks.empty();
        run = begun;
        begunWith = access;
    }

    /** Returns whether the run would have the same rights and buckets with another version of the settings. */
    boolean isSameWith(JobAccess now) {
        return begunWith != null && begunWith.isSameFor(stored.owner(), spec(), now);
    }

    /**
     * Sets the state that the job has once its run stops. If the disk refuses the write, the state holds until the next
     * start.
     */
    void stopping(JobState state, JobEvent why) {
        StoredJob changed = stored.inState(state).with(why);
        try {
            keep(changed);
        } catch (IOException e) {
            stored = changed;
            log.error(
                    "Job {} is {}, but its file cannot be written: a restart loses this state. Make room in the data "
                            + "folder",
                    stored.id(),
                    state.text(),
                    e);
        }
    }

    /**
     * Ends the run. An interrupted job starts again later.
     *
     * @param message for its owner
     * @param event what ended it; empty if it is over, or its owner knows already
     */
    void end(JobState last, String message, Optional<JobEvent> event, Instant now) throws IOException {
        JobRun ended = run;
        if (ended != null) {
            reachedReport = ended.reportAtRest();
        }
        long worked = Duration.between(runBegan, now).toMillis();
        try {
            folder.close();
            StoredJob stopped = stored.stopped(last, message, now, worked);
            keep(event.map(stopped::with).orElse(stopped));
        } catch (IOException e) {
            String why = "its end cannot be stored: %s. Make room in the data folder, and resume it"
                    .formatted(FileFailureText.of(e));
            stored = stored.stopped(JobState.FAILED, why, now, worked).with(JobEvent.of(Kind.FAILED, why, now));
            throw e;
        } finally {
            run = null;
            begunWith = null;
            runEnded.tryEmitEmpty();
        }
    }

    /** Describes how far the job came in its earlier runs, for the log. */
    String progressText() {
        JobProgress reached = reachedReport.progress();
        return reached.counted()
                ? "%d of %d objects have ended".formatted(reached.ended(), reached.found())
                : "%d objects have ended".formatted(reached.ended());
    }

    /** Completes when the current run has ended. */
    Mono<Void> whenStopped() {
        return runEnded.asMono();
    }

    JobStatus status() {
        JobRun working = run;
        StoredJob now = stored;
        ProgressReport report = working == null ? reachedReport : working.report();
        JobState state = working != null
                        && now.state() == JobState.RUNNING
                        && !report.progress().counted()
                ? JobState.PLANNING
                : now.state();
        long active = now.activeMillis()
                + (working == null
                        ? 0
                        : Math.max(0, Duration.between(runBegan, Instant.now()).toMillis()));
        return new JobStatus(
                now.id(),
                now.owner(),
                now.request(),
                state,
                now.message().isEmpty() && working != null ? working.warning() : now.message(),
                report,
                now.submitted(),
                Optional.ofNullable(now.begun()),
                Optional.ofNullable(now.ended()),
                active,
                now.history());
    }
}
