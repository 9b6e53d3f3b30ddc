package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.store.JobEvent;
import io.millrace.gateway.jobs.store.JobEvent.Kind;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.JobStateThread;
import io.millrace.gateway.jobs.store.JobTransitions.Event;
import io.millrace.gateway.jobs.store.PendingUploadStore;
import io.millrace.gateway.jobs.store.StoredJob;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import reactor.core.publisher.Mono;

/**
 * Starts waiting jobs as far as the settings allow, stops them, and finishes those that end. Used by the job thread
 * only.
 */
final class JobScheduler {
    private static final Logger log = LoggerFactory.getLogger(JobScheduler.class);

    private final JobRegistry jobs;
    private final JobSettings settings;
    private final Supplier<JobAccess> access;
    private final JobServices services;
    private final OrphanUploadCleaner orphans;
    private final JobPins pins;
    private final JobStateThread thread;
    private final TaskResultListener recorder;
    private final InstantSource clock;

    private volatile Consumer<JobStatus> endListener = none -> {};

    private boolean closing;

    /**
     * Creates a scheduler.
     *
     * @param access returns the rights and buckets for the next run
     */
    JobScheduler(
            JobRegistry jobs,
            JobSettings settings,
            Supplier<JobAccess> access,
            JobServices services,
            OrphanUploadCleaner orphans,
            JobPins pins,
            JobStateThread thread,
            TaskResultListener recorder) {
        this.jobs = jobs;
        this.settings = settings;
        this.access = access;
        this.services = services;
        this.orphans = orphans;
        this.pins = pins;
        this.thread = thread;
        this.recorder = recorder;
        this.clock = services.clock();
    }

    void onEnd(Consumer<JobStatus> listener) {
        endListener = listener;
    }

    private void reportEnd(Job job) {
        JobState state = job.stored().state();
        if (state.isOver() || state == JobState.FAILED) {
            endListener.accept(job.status());
        }
    }

    /**
     * Stops all runs, which continue after the next start, and starts no more. Returns a signal for each run, which
     * completes when it has ended.
     */
    List<Mono<Void>> close() {
        closing = true;
        List<Mono<Void>> ends = new ArrayList<>();
        for (Job job : jobs.all()) {
            JobRun run = job.run();
            if (run != null) {
                ends.add(job.whenStopped());
                run.stop(JobRun.Outcome.STOPPED);
            }
        }
        return ends;
    }

    /**
     * Stops the runs whose rights or buckets have changed; they continue at once with those of now. Jobs whose owner is
     * revoked fail.
     */
    void restartChanged() {
        JobAccess now = access.get();
        for (Job job : jobs.all()) {
            JobRun run = job.run();
            if (now.isRevoked(job.stored())) {
                stopRevoked(job, run);
            } else if (run != null && !job.isSameWith(now)) {
                run.stop(JobRun.Outcome.STOPPED);
            }
        }
    }

    private void stopRevoked(Job job, @Nullable JobRun run) {
        if (run != null) {
            run.stop(JobRun.Outcome.failed(revoked(job)));
        } else if (job.stored().state() == JobState.SUBMITTED) {
            failed(job, new JobException(JobException.Kind.DENIED, revoked(job)));
        }
    }

    private static String revoked(Job job) {
        return "the credentials of '%s', which owns this job, were revoked"
                .formatted(job.stored().owner());
    }

    /**
     * Stops a job so that it can be resumed.
     *
     * @param next PAUSING, until its last request has ended, or PAUSED
     */
    void pause(Job job, JobState next, String by) throws IOException {
        JobEvent paused = JobEvent.by(by, Kind.PAUSED, clock.instant());
        JobRun run = job.run();
        if (run == null) {
            job.keep(job.stored().stopped(next, "", clock.instant(), 0).with(paused));
            return;
        }
        run.stop(JobRun.Outcome.STOPPED);
        job.stopping(next, paused);
    }

    /**
     * Cancels a job.
     *
     * @param next CANCELLING, until its last request has ended and its uploads are aborted
     */
    void cancel(Job job, JobState next, String by) throws IOException {
        JobEvent cancelled = JobEvent.by(by, Kind.CANCELLED, clock.instant());
        JobRun run = job.run();
        if (run != null) {
            run.stop(JobRun.Outcome.STOPPED);
            job.stopping(next, cancelled);
        } else if (notes(job).isEmpty()) {
            over(job, job.stored().inState(next).with(cancelled));
        } else {
            job.keep(job.stored().inState(next).with(cancelled));
            goOnCancelling(job);
        }
    }

    /** Aborts the uploads of a job that does not run, then cancels it. */
    private void goOnCancelling(Job job) {
        orphans.giveUp(job)
                .then(thread.run(() -> over(job, job.stored())))
                .subscribe(
                        done -> {},
                        failure -> log.error(
                                "Job {} cannot be cancelled; the next start tries again",
                                job.stored().id(),
                                failure));
    }

    private void over(Job job, StoredJob cancelling) throws IOException {
        job.keep(cancelling.stopped(cancelling.after(Event.STOP), "", clock.instant(), 0));
        pins.update(jobs.all());
        reportEnd(job);
    }

    /** Continues jobs in the state in which the last process left them. */
    void open() {
        jobs.all().stream()
                .filter(job -> job.stored().state() == JobState.CANCELLING)
                .forEach(this::goOnCancelling);
        jobs.all().stream()
                .filter(job -> job.stored().state() == JobState.SUBMITTED
                        && job.stored().begun() != null)
                .forEach(job -> log.info(
                        "Job {} goes on after the restart: {}", job.stored().id(), job.progressText()));
        startWaiting();
    }

    /** Starts waiting jobs while there is room, and forgets the oldest ended ones. */
    void startWaiting() {
        for (Job job : jobs.all()) {
            if (job.stored().state() == JobState.SUBMITTED && job.run() == null && hasPlace(job)) {
                start(job);
            }
        }
        jobs.forgetOldest(settings.maxEnded(), pins::isPinning);
    }

    /** Returns true if there is room for the job. One owner never gets the last place, because a job may take days. */
    private boolean hasPlace(Job job) {
        List<Job> working =
                jobs.all().stream().filter(other -> other.run() != null).toList();
        int places = settings.maxRunning();
        long own = working.stream()
                .filter(other -> other.stored().owner().equals(job.stored().owner()))
                .count();
        return !closing && working.size() < places && own < Math.max(1, places - 1);
    }

    private void start(Job job) {
        try {
            Instant now = clock.instant();
            JobAccess current = access.get();
            JobRun run = createRun(job, current, now);
            job.begin(run, current, now);
            run.run()
                    .flatMap(end -> thread.call(() -> ended(job, end)))
                    .flatMap(rest -> rest)
                    .subscribe(
                            done -> {},
                            failure -> log.error(
                                    "Cannot store the end of job {}; resume it, or it continues after the next start",
                                    job.stored().id(),
                                    failure));
        } catch (IOException | JobException | InvalidJobException e) {
            failed(job, e);
        }
    }

    private JobRun createRun(Job job, JobAccess current, Instant now) throws IOException {
        Principal owner = current.credentials()
                .named(job.stored().owner())
                .orElseThrow(() -> new JobException(
                        JobException.Kind.DENIED,
                        "identity '%s', which owns this job, is no longer in the settings file"
                                .formatted(job.stored().owner())));
        if (current.isRevoked(job.stored())) {
            throw new JobException(JobException.Kind.DENIED, revoked(job));
        }
        JobContext context = current.contextOf(job.spec(), services);
        JobAuthorizer rights = new JobAuthorizer(current.authorizer(), owner, context);
        rights.require();
        Plan plan = context.plan(new PlanInputs(
                jobs.failuresOf(owner, context),
                rights.readable(),
                rights::mayTouch,
                new ShardArrangement(job.folder().path(), thread)));
        StoppableWrites writes = context.writes();
        return new JobRun(
                context,
                plan,
                rights.guarded(context.task(
                        writes,
                        notes(job),
                        Objects.requireNonNullElse(job.stored().begun(), now),
                        rights::mayTouch)),
                writes,
                job.folder(),
                job.stored().begun() != null,
                thread,
                recorder,
                clock);
    }

    private void failed(Job job, Exception failure) {
        try {
            Instant now = clock.instant();
            String why = String.valueOf(failure.getMessage());
            StoredJob waiting = job.stored();
            job.keep(waiting.stopped(waiting.after(Event.FAIL), why, now, 0).with(JobEvent.of(Kind.FAILED, why, now)));
        } catch (IOException e) {
            log.error(
                    "Job {} failed, but its file cannot be written: it runs again. Make room in the data folder",
                    job.stored().id(),
                    e);
        }
        log.warn("Job {} failed: {}", job.stored().id(), failure.getMessage());
        reportEnd(job);
    }

    /** Finishes a run that has ended. The returned signal does the rest, which aborts uploads of a job that is over. */
    private Mono<Void> ended(Job job, JobRun.Outcome end) throws IOException {
        if (!job.stored().after(end.event()).isOver()) {
            finish(job, end);
            return Mono.empty();
        }
        return orphans.giveUp(job).then(thread.run(() -> finish(job, end)));
    }

    private void finish(Job job, JobRun.Outcome end) throws IOException {
        try {
            Instant now = clock.instant();
            JobState last = job.stored().after(end.event());
            String message = last == JobState.CANCELLED ? "" : end.message();
            job.end(last, message, eventOf(last, message, now), now);
            pins.update(jobs.all());
            log.atLevel(last == JobState.FAILED ? Level.WARN : Level.INFO)
                    .log(
                            "Job {}: {}{}",
                            job.stored().id(),
                            last == JobState.SUBMITTED ? whenContinued() : last.text(),
                            message.isEmpty() ? "" : ": " + message);
        } finally {
            reportEnd(job);
            startWaiting();
        }
    }

    private Optional<JobEvent> eventOf(JobState last, String message, Instant now) {
        return switch (last) {
            case SUBMITTED -> Optional.of(JobEvent.of(closing ? Kind.STOPPED : Kind.SETTINGS_CHANGED, "", now));
            case FAILED -> Optional.of(JobEvent.of(Kind.FAILED, message, now));
            default -> Optional.empty();
        };
    }

    private String whenContinued() {
        return closing ? "goes on after the next start" : "goes on with the changed settings";
    }

    private PendingUploadStore notes(Job job) {
        return new PendingUploadStore(job.folder().path(), thread);
    }
}
