package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.jobs.request.InvalidJobException;
import io.millrace.gateway.jobs.request.JobRequestParser;
import io.millrace.gateway.jobs.request.JobSpec;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.JobThread;
import io.millrace.gateway.jobs.store.PendingUploadStore;
import io.millrace.gateway.jobs.upload.StoppableWrites;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/** Lets jobs work, as many at a time as may, and sees to their ends. Belongs to the job thread. */
final class JobScheduler {
    private static final Logger log = LoggerFactory.getLogger(JobScheduler.class);

    private static final JobRun.Outcome CANCELLED = new JobRun.Outcome(JobState.CANCELLED, "");

    private final JobRegistry jobs;
    private final JobSettings settings;
    private final JobAuthorizer rights;
    private final Function<String, Optional<Principal>> owners;
    private final JobTaskFactory workshop;
    private final OrphanUploadCleaner leftovers;
    private final JobPins keeping;
    private final JobThread thread;
    private final JobListener recorder;
    private final InstantSource clock;
    private boolean closing;

    /** @param owners identities by name, of which a job has the rights */
    JobScheduler(
            JobRegistry jobs,
            JobSettings settings,
            JobAuthorizer rights,
            Function<String, Optional<Principal>> owners,
            JobTaskFactory workshop,
            OrphanUploadCleaner leftovers,
            JobPins keeping,
            JobThread thread,
            JobListener recorder,
            InstantSource clock) {
        this.jobs = jobs;
        this.settings = settings;
        this.rights = rights;
        this.owners = owners;
        this.workshop = workshop;
        this.leftovers = leftovers;
        this.keeping = keeping;
        this.thread = thread;
        this.recorder = recorder;
        this.clock = clock;
    }

    /** Stops all work, so that it goes on after the next start, and begins no more; what is told completes when it stands. */
    List<Mono<Void>> close() {
        closing = true;
        List<Mono<Void>> ends = new ArrayList<>();
        for (Job job : jobs.all()) {
            JobRun run = job.run();
            if (run != null) {
                ends.add(job.whenStopped());
                run.stop(new JobRun.Outcome(JobState.SUBMITTED, ""));
            }
        }
        return ends;
    }

    /** Stops a job so that it can be resumed; it is paused when nothing of it is under way any more. */
    void pause(Job job) throws IOException {
        JobRun run = job.run();
        if (run == null) {
            job.keep(job.stored().stopped(JobState.PAUSED, "", clock.instant(), 0));
            return;
        }
        run.stop(new JobRun.Outcome(JobState.PAUSED, ""));
        job.stopping(JobState.PAUSING);
    }

    /** Ends a job; it is cancelled when nothing of it is under way any more, and nothing that it has begun is left at a backend. */
    void cancel(Job job) throws IOException {
        JobRun run = job.run();
        if (run != null) {
            run.stop(CANCELLED);
            job.stopping(JobState.CANCELLING);
        } else if (notes(job).isEmpty()) {
            over(job, CANCELLED);
        } else {
            job.keep(job.stored().inState(JobState.CANCELLING));
            goOnCancelling(job);
        }
    }

    /** Gives up what a job that nothing is under way of has begun at backends. */
    private void goOnCancelling(Job job) {
        leftovers
                .giveUp(job)
                .then(thread.call(() -> {
                    over(job, CANCELLED);
                    return null;
                }))
                .subscribe(
                        done -> {},
                        failure -> log.error(
                                "Job {} cannot be cancelled", job.stored().id(), failure));
    }

    private void over(Job job, JobRun.Outcome end) throws IOException {
        job.keep(job.stored().stopped(end.state(), end.message(), clock.instant(), 0));
        keeping.update(jobs.all());
    }

    /** Goes on with jobs as the last start left them. */
    void open() {
        jobs.all().stream()
                .filter(job -> job.stored().state() == JobState.CANCELLING)
                .forEach(this::goOnCancelling);
        startWaiting();
    }

    /** Lets those work that wait, as far as there is room, and forgets the oldest that are over. */
    void startWaiting() {
        for (Job job : jobs.all()) {
            if (job.stored().state() == JobState.SUBMITTED && job.run() == null && hasPlace(job)) {
                start(job);
            }
        }
        jobs.forgetOldest(settings.history(), keeping::isKeeping);
    }

    /** The last place is not for who has all others: a job may take days. */
    private boolean hasPlace(Job job) {
        List<Job> working =
                jobs.all().stream().filter(other -> other.run() != null).toList();
        int places = settings.parallel();
        long own = working.stream()
                .filter(other -> other.stored().owner().equals(job.stored().owner()))
                .count();
        return !closing && working.size() < places && own < Math.max(1, places - 1);
    }

    private void start(Job job) {
        Instant now = clock.instant();
        try {
            Principal owner = owners.apply(job.stored().owner())
                    .orElseThrow(() -> new JobException(
                            JobException.Kind.DENIED,
                            "identity '%s', whose job it is, is not in the operator's file any more"
                                    .formatted(job.stored().owner())));
            JobSpec spec =
                    JobRequestParser.read(job.stored().request(), job.stored().submitted());
            rights.require(owner, spec);
            StoppableWrites writes = workshop.writes(spec);
            JobRun run = new JobRun(
                    spec,
                    workshop.plan(spec, jobs.failuresOf(owner, spec), rights.readable(owner, spec)),
                    rights.guarded(
                            owner,
                            spec,
                            JobTaskFactory.names(spec),
                            workshop.task(
                                    spec,
                                    job.stored().begun() == null
                                            ? now
                                            : job.stored().begun(),
                                    writes,
                                    notes(job))),
                    writes,
                    job.folder(),
                    job.folder().restore(),
                    thread,
                    recorder);
            job.begin(run, now);
            run.run()
                    .flatMap(end -> thread.call(() -> ended(job, end)))
                    .flatMap(rest -> rest)
                    .subscribe(
                            done -> {},
                            failure -> log.error(
                                    "Job {} did not end as it should",
                                    job.stored().id(),
                                    failure));
        } catch (IOException | JobException | InvalidJobException e) {
            failed(job, e);
        }
    }

    private void failed(Job job, Exception failure) {
        try {
            job.keep(job.stored().stopped(JobState.FAILED, String.valueOf(failure.getMessage()), clock.instant(), 0));
        } catch (IOException e) {
            log.error(
                    "Job {} failed, which cannot be written down", job.stored().id(), e);
        }
        log.warn("Job {} failed: {}", job.stored().id(), failure.getMessage());
    }

    /** Nothing of the job is under way any more. What is told is the rest, until it may be said that it has ended. */
    private Mono<Void> ended(Job job, JobRun.Outcome end) throws IOException {
        JobRun.Outcome last = job.stored().state() == JobState.CANCELLING ? CANCELLED : end;
        if (!last.state().isOver()) {
            finish(job, last);
            return Mono.empty();
        }
        return leftovers.giveUp(job).then(thread.call(() -> {
            finish(job, last);
            return null;
        }));
    }

    private void finish(Job job, JobRun.Outcome end) throws IOException {
        try {
            job.end(end, clock.instant());
            keeping.update(jobs.all());
            log.info(
                    "Job {}: {}{}",
                    job.stored().id(),
                    end.state() == JobState.SUBMITTED
                            ? "goes on after the next start"
                            : end.state().text(),
                    end.message().isEmpty() ? "" : ": " + end.message());
        } finally {
            startWaiting();
        }
    }

    private PendingUploadStore notes(Job job) {
        return new PendingUploadStore(job.folder().path(), thread);
    }
}
