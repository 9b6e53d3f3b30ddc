package io.millrace.gateway.job;

import io.millrace.auth.Principal;
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
final class JobRunner {
    private static final Logger log = LoggerFactory.getLogger(JobRunner.class);

    private final KnownJobs jobs;
    private final JobSettings settings;
    private final JobRights rights;
    private final Function<String, Optional<Principal>> owners;
    private final JobWorkshop workshop;
    private final Keeping keeping;
    private final JobThread thread;
    private final JobRecorder recorder;
    private final InstantSource clock;
    private boolean closing;

    /** @param owners identities by name, of which a job has the rights */
    JobRunner(
            KnownJobs jobs,
            JobSettings settings,
            JobRights rights,
            Function<String, Optional<Principal>> owners,
            JobWorkshop workshop,
            Keeping keeping,
            JobThread thread,
            JobRecorder recorder,
            InstantSource clock) {
        this.jobs = jobs;
        this.settings = settings;
        this.rights = rights;
        this.owners = owners;
        this.workshop = workshop;
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
                run.stop(new JobRun.End(JobState.SUBMITTED, ""), true);
            }
        }
        return ends;
    }

    /**
     * Ends the work of a job, or its waiting for work.
     *
     * @param atOnce whether objects under way are given up
     */
    void stop(Job job, JobRun.End end, boolean atOnce) throws IOException {
        JobRun run = job.run();
        if (run != null) {
            run.stop(end, atOnce);
            return;
        }
        job.keep(job.stored().stopped(end.state(), end.message(), clock.instant(), 0));
        keeping.update(jobs.all());
        giveUpIfOver(job);
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
            JobSpec spec = JobReader.read(job.stored().request(), job.stored().submitted());
            rights.require(owner, spec);
            JobRun run = new JobRun(
                    spec,
                    workshop.plan(spec, jobs.failuresOf(owner, spec), rights.readable(owner, spec)),
                    rights.guarded(
                            owner,
                            spec,
                            JobWorkshop.names(spec),
                            workshop.task(
                                    spec,
                                    job.stored().begun() == null
                                            ? now
                                            : job.stored().begun(),
                                    notes(job))),
                    job.folder(),
                    job.folder().restore(),
                    thread,
                    recorder);
            job.begin(run, now);
            run.run()
                    .flatMap(end -> thread.call(() -> {
                        ended(job, end);
                        return null;
                    }))
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

    private void ended(Job job, JobRun.End end) throws IOException {
        job.end(end, clock.instant());
        keeping.update(jobs.all());
        log.info(
                "Job {}: {}{}",
                job.stored().id(),
                end.state() == JobState.SUBMITTED
                        ? "goes on after the next start"
                        : end.state().text(),
                end.message().isEmpty() ? "" : ": " + end.message());
        giveUpIfOver(job);
        startWaiting();
    }

    /** A job that is over takes nothing up again. */
    void giveUpIfOver(Job job) {
        if (job.stored().state().isOver() && job.run() == null) {
            leavings(job).subscribe();
        }
    }

    /** Has what the job has begun at backends, and not ended, given up. */
    Mono<Void> leavings(Job job) {
        try {
            JobSpec spec = JobReader.read(job.stored().request(), job.stored().submitted());
            return workshop.giveUp(spec, notes(job));
        } catch (InvalidJobException noMore) {
            return Mono.empty();
        }
    }

    private UploadNotes notes(Job job) {
        return new UploadNotes(job.folder().path(), thread);
    }
}
