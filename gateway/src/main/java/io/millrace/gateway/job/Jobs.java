package io.millrace.gateway.job;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Principal;
import io.millrace.auth.Right;
import io.millrace.backend.spi.BucketName;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.fetch.HttpFetcher;
import io.millrace.gateway.freshness.ObjectWrites;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * All jobs of this gateway: takes them, keeps them, lets some of them work, and takes them up again after a restart. Safe for use by
 * any number of threads; nothing blocks but {@link #open} and {@link #close}.
 */
public final class Jobs implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Jobs.class);

    private final Path folder;
    private final JobSettings settings;
    private final JobRights rights;
    private final AccessPolicy policy;
    private final Function<String, Optional<Principal>> owners;
    private final JobWorkshop workshop;
    private final Keeping keeping;
    private final JobRecorder recorder;
    private final InstantSource clock;
    private final JobThread thread = new JobThread();
    private final JobIds ids;

    /** In the order of submission, which is that of their ids. Changed by the job thread only. */
    private final ConcurrentSkipListMap<String, Job> jobs = new ConcurrentSkipListMap<>();

    private final AtomicBoolean closed = new AtomicBoolean();
    private boolean closing;

    private Jobs(
            Path folder,
            JobSettings settings,
            AccessPolicy policy,
            Function<String, Optional<Principal>> owners,
            JobWorkshop workshop,
            Keeping keeping,
            JobRecorder recorder,
            InstantSource clock) {
        this.folder = folder;
        this.settings = settings;
        this.policy = policy;
        this.rights = new JobRights(policy);
        this.owners = owners;
        this.workshop = workshop;
        this.keeping = keeping;
        this.recorder = recorder;
        this.clock = clock;
        this.ids = new JobIds(clock);
    }

    /**
     * Opens the jobs of a data folder; blocks. They go on when {@link #start} is called.
     *
     * @param owners identities by name, of which a job has the rights
     * @param cache none if there is no cache
     * @param fetcher for downloads; stays the caller's
     * @throws IOException if the folder cannot be read or written; the message says which
     */
    public static Jobs open(
            Path data,
            JobSettings settings,
            AccessPolicy policy,
            Function<String, Optional<Principal>> owners,
            Buckets buckets,
            ObjectWrites writes,
            Optional<CacheWork> cache,
            HttpFetcher fetcher,
            JobRecorder recorder,
            InstantSource clock)
            throws IOException {
        Path folder = Files.createDirectories(data.resolve("jobs"));
        JobWorkshop workshop = new JobWorkshop(buckets, writes, cache, fetcher);
        Keeping keeping = new Keeping(buckets, cache.map(CacheWork::keep).orElse(none -> {}), clock);
        Jobs jobs = new Jobs(folder, settings, policy, owners, workshop, keeping, recorder, clock);
        for (JobFolder found : JobFolder.all(folder)) {
            jobs.take(found);
        }
        keeping.update(jobs.jobs.values());
        return jobs;
    }

    private void take(JobFolder found) throws IOException {
        StoredJob stored = found.read();
        Checkpoint checkpoint = found.restore();
        found.close();
        Job job = new Job(found, stored.state().isActive() ? stored.waiting() : stored, checkpoint.progress());
        jobs.put(stored.id(), job);
    }

    /** Lets jobs that were at work go on. */
    public void start() {
        thread.execute(() -> {
            jobs.values().forEach(this::giveUpIfOver);
            startWaiting();
        });
    }

    /**
     * Takes a job.
     *
     * @throws InvalidJobException (as an error of the result) if it cannot be understood
     */
    public Mono<JobStatus> submit(Principal who, JobRequest request) {
        return submitOnce(who, request).map(Submission::job);
    }

    /** The same, telling besides whether its client token had been submitted before. */
    public Mono<Submission> submitOnce(Principal who, JobRequest request) {
        return thread.call(() -> {
            JobSpec spec = JobReader.read(request, clock.instant());
            Optional<Job> same = submittedBefore(who, request);
            if (same.isPresent()) {
                return new Submission(same.get().status(), false);
            }
            rights.require(who, spec);
            workshop.require(spec);
            failuresOf(who, spec);
            keeping.require(spec, jobs.values());
            StoredJob stored = StoredJob.submitted(ids.next(), who.name(), request, clock.instant());
            Job job = new Job(JobFolder.create(folder, stored), stored, Progress.NONE);
            jobs.put(stored.id(), job);
            keeping.update(jobs.values());
            log.info("Job {} of '{}': {}", stored.id(), who.name(), spec.kind().text());
            startWaiting();
            return new Submission(job.status(), true);
        });
    }

    private Optional<Job> submittedBefore(Principal who, JobRequest request) {
        String token = request.clientToken();
        if (token == null) {
            return Optional.empty();
        }
        Optional<Job> same = jobs.values().stream()
                .filter(job -> job.stored().owner().equals(who.name())
                        && token.equals(job.stored().request().clientToken()))
                .findFirst();
        if (same.isPresent() && !same.get().stored().request().equals(request)) {
            throw new JobException(
                    JobException.Kind.CONFLICT,
                    "job %s has this clientToken and is another one: give each job its own"
                            .formatted(same.get().stored().id()));
        }
        return same;
    }

    /**
     * One job.
     *
     * @throws JobException of kind NO_SUCH_JOB
     */
    public JobStatus get(Principal who, String id) {
        return find(who, id).status();
    }

    /**
     * Jobs, the youngest first.
     *
     * @param before the id of the last one on the page before
     */
    public List<JobStatus> list(Principal who, Optional<String> before, int most) {
        return (before.isPresent() ? jobs.headMap(before.get()) : jobs)
                .descendingMap().values().stream()
                        .filter(job -> maySee(who, job))
                        .limit(most)
                        .map(Job::status)
                        .toList();
    }

    /** How many jobs are in a state; a look into memory. */
    public long count(JobState state) {
        return jobs.values().stream()
                .filter(job -> job.status().state() == state)
                .count();
    }

    /** What failed, as far as it is kept by name, in the order in which it failed. */
    public Mono<List<Failure>> failures(Principal who, String id) {
        return thread.call(() -> find(who, id).folder().failures());
    }

    /** Stops a job so that it can be resumed. */
    public Mono<JobStatus> pause(Principal who, String id) {
        return thread.call(() -> {
            Job job = find(who, id);
            if (!job.stored().state().isActive()) {
                throw conflict(job, "is not at work");
            }
            stop(job, new JobRun.End(JobState.PAUSED, ""), false);
            return job.status();
        });
    }

    /** Lets a job go on that was paused or failed. */
    public Mono<JobStatus> resume(Principal who, String id) {
        return thread.call(() -> {
            Job job = find(who, id);
            JobState state = job.stored().state();
            if (state != JobState.PAUSED && state != JobState.FAILED) {
                throw conflict(job, "is neither paused nor failed");
            }
            if (job.run() != null) {
                throw conflict(job, "is still stopping; try again in a moment");
            }
            job.keep(job.stored().waiting());
            startWaiting();
            return job.status();
        });
    }

    /** Ends a job; what it has done stays done. */
    public Mono<JobStatus> cancel(Principal who, String id) {
        return thread.call(() -> {
            Job job = find(who, id);
            if (job.stored().state().isOver()) {
                throw conflict(job, "is over");
            }
            stop(job, new JobRun.End(JobState.CANCELLED, ""), true);
            giveUpIfOver(job);
            return job.status();
        });
    }

    /** Forgets a job that is over. */
    public Mono<Void> delete(Principal who, String id) {
        return thread.call(() -> {
                    Job job = find(who, id);
                    if (job.stored().state().isActive() || job.run() != null) {
                        throw conflict(job, "is at work: cancel it first");
                    }
                    jobs.remove(id);
                    keeping.update(jobs.values());
                    return job;
                })
                .flatMap(job -> leavings(job).then(thread.call(() -> {
                    job.folder().delete();
                    return null;
                })));
    }

    /** Stops all work, which goes on after the next start; waits until that is written down. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        thread.call(() -> {
                    closing = true;
                    List<Mono<Void>> ends = new ArrayList<>();
                    for (Job job : jobs.values()) {
                        JobRun run = job.run();
                        if (run != null) {
                            ends.add(job.whenStopped());
                            run.stop(new JobRun.End(JobState.SUBMITTED, ""), true);
                        }
                    }
                    return ends;
                })
                .flatMap(Mono::when)
                .block();
        thread.close();
    }

    private void stop(Job job, JobRun.End end, boolean atOnce) throws IOException {
        JobRun run = job.run();
        if (run == null) {
            job.keep(job.stored().stopped(end.state(), end.message(), clock.instant(), 0));
            keeping.update(jobs.values());
        } else {
            run.stop(end, atOnce);
        }
    }

    private void startWaiting() {
        for (Job job : jobs.values()) {
            boolean room =
                    jobs.values().stream().filter(other -> other.run() != null).count() < settings.parallel();
            if (closing || !room) {
                return;
            }
            if (job.stored().state() == JobState.SUBMITTED && job.run() == null) {
                start(job);
            }
        }
        forgetOldest();
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
                    workshop.plan(spec, failuresOf(owner, spec)),
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
        keeping.update(jobs.values());
        log.info(
                "Job {}: {}{}",
                job.stored().id(),
                end.state().text(),
                end.message().isEmpty() ? "" : ": " + end.message());
        giveUpIfOver(job);
        startWaiting();
    }

    /** A job that is over takes nothing up again. */
    private void giveUpIfOver(Job job) {
        if (job.stored().state().isOver() && job.run() == null) {
            leavings(job).subscribe();
        }
    }

    /** Has what the job has begun at backends, and not ended, given up. */
    private Mono<Void> leavings(Job job) {
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

    private void forgetOldest() {
        List<Job> over = jobs.values().stream()
                .filter(job -> job.stored().state().isOver() && job.run() == null && !keeping.isKeeping(job))
                .toList();
        for (Job job : over.subList(0, Math.max(0, over.size() - settings.history()))) {
            jobs.remove(job.stored().id());
            try {
                job.folder().delete();
            } catch (IOException e) {
                log.warn(
                        "Job {} is forgotten, but its folder stays: {}",
                        job.stored().id(),
                        e.toString());
            }
        }
    }

    private List<Failure> failuresOf(Principal who, JobSpec spec) throws IOException {
        if (!(spec.from().source() instanceof Selection.Source.FailuresOf of)) {
            return List.of();
        }
        Job other = find(who, of.job());
        boolean isOfUrls = JobKind.DOWNLOAD
                .text()
                .equalsIgnoreCase(other.stored().request().kind());
        if (isOfUrls != (spec.kind() == JobKind.DOWNLOAD)) {
            throw new InvalidJobException(
                    "from.failuresOf", "is of another kind: what failed in a download are URLs, and in others objects");
        }
        return other.folder().failures();
    }

    private Job find(Principal who, String id) {
        Job job = jobs.get(id);
        if (job == null || !maySee(who, job)) {
            throw new JobException(JobException.Kind.NO_SUCH_JOB, "there is no such job");
        }
        return job;
    }

    private boolean maySee(Principal who, Job job) {
        return job.stored().owner().equals(who.name())
                || policy.allows(
                        who, Right.ADMIN, new BucketName(job.stored().request().bucket()), Optional.empty());
    }

    private static JobException conflict(Job job, String why) {
        return new JobException(
                JobException.Kind.CONFLICT,
                "job %s %s: it is %s"
                        .formatted(job.stored().id(), why, job.status().state().text()));
    }
}
