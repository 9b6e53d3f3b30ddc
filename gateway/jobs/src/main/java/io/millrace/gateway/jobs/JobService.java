package io.millrace.gateway.jobs;

import io.millrace.auth.policy.AccessPolicy;
import io.millrace.auth.policy.Principal;
import io.millrace.gateway.jobs.fetch.HttpFetcher;
import io.millrace.gateway.jobs.progress.JobProgress;
import io.millrace.gateway.jobs.request.InvalidJobException;
import io.millrace.gateway.jobs.request.JobRequest;
import io.millrace.gateway.jobs.request.JobRequestParser;
import io.millrace.gateway.jobs.request.JobSpec;
import io.millrace.gateway.jobs.store.JobCheckpoint;
import io.millrace.gateway.jobs.store.JobFolder;
import io.millrace.gateway.jobs.store.JobIdGenerator;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.JobThread;
import io.millrace.gateway.jobs.store.ObjectFailure;
import io.millrace.gateway.jobs.store.StoredJob;
import io.millrace.gateway.jobs.task.JobCacheAccess;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.write.FencedWrites;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * All jobs of this gateway: takes them, keeps them, lets some of them work, and takes them up again after a restart. Safe for use by
 * any number of threads; nothing blocks but {@link #open} and {@link #close}.
 */
public final class JobService implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JobService.class);

    /** How often what was left at backends that were away is given up again. */
    private static final Duration SWEEP = Duration.ofMinutes(10);

    /** How long a stop waits for the last requests of jobs: less than who stops programs waits for them. */
    private static final Duration LAST_BYTES = Duration.ofSeconds(10);

    /** Of the heap, for what was asked of jobs: all of it is in memory. */
    private static final int SHARE = 8;

    private final Path folder;
    private final JobRegistry known;
    private final JobAuthorizer rights;
    private final JobTaskFactory workshop;
    private final JobPins keeping;
    private final OrphanUploadCleaner leftovers;
    private final JobScheduler runner;
    private final JobThread thread;
    private final JobIdGenerator ids;
    private final InstantSource clock;
    private final Disposable.Swap sweeps = Disposables.swap();
    private final AtomicBoolean closed = new AtomicBoolean();

    private JobService(
            Path folder,
            JobRegistry known,
            JobAuthorizer rights,
            JobTaskFactory workshop,
            JobPins keeping,
            OrphanUploadCleaner leftovers,
            JobScheduler runner,
            JobThread thread,
            InstantSource clock) {
        this.folder = folder;
        this.known = known;
        this.rights = rights;
        this.workshop = workshop;
        this.keeping = keeping;
        this.leftovers = leftovers;
        this.runner = runner;
        this.thread = thread;
        this.ids = new JobIdGenerator(clock);
        this.clock = clock;
    }

    /**
     * Opens the jobs of a data folder; blocks. They go on when {@link #start} is called.
     *
     * @param owners identities by name, of which a job has the rights
     * @param cache none if there is no cache
     * @param fetcher for downloads; stays the caller's
     * @throws IOException if the folder cannot be read or written; the message says which
     */
    public static JobService open(
            Path data,
            JobSettings settings,
            AccessPolicy policy,
            Function<String, Optional<Principal>> owners,
            BucketRegistry buckets,
            FencedWrites writes,
            Optional<JobCacheAccess> cache,
            HttpFetcher fetcher,
            JobListener recorder,
            InstantSource clock)
            throws IOException {
        Path folder = Files.createDirectories(data.resolve("jobs"));
        JobRegistry known = new JobRegistry(policy, Runtime.getRuntime().maxMemory() / SHARE);
        for (JobFolder found : JobFolder.all(folder)) {
            known.add(taken(found, clock));
        }
        JobAuthorizer rights = new JobAuthorizer(policy);
        JobTaskFactory workshop = new JobTaskFactory(buckets, writes, cache, fetcher, clock);
        JobPins keeping = new JobPins(buckets, cache.map(JobCacheAccess::keep).orElse(none -> {}), clock);
        keeping.update(known.all());
        JobThread thread = new JobThread();
        OrphanUploadCleaner leftovers = new OrphanUploadCleaner(folder, known, workshop, thread);
        JobScheduler runner = new JobScheduler(
                known, settings, rights, owners, workshop, leftovers, keeping, thread, recorder, clock);
        return new JobService(folder, known, rights, workshop, keeping, leftovers, runner, thread, clock);
    }

    private static Job taken(JobFolder found, InstantSource clock) throws IOException {
        StoredJob stored = found.read();
        JobCheckpoint checkpoint = found.restore();
        found.close();
        return new Job(found, taken(stored, clock), checkpoint.progress());
    }

    private static StoredJob taken(StoredJob stored, InstantSource clock) {
        if (stored.state() == JobState.PAUSING) {
            return stored.stopped(JobState.PAUSED, "", clock.instant(), 0);
        }
        return stored.state().isToWork() ? stored.waiting() : stored;
    }

    /** Lets jobs that were at work go on. */
    public void start() {
        thread.execute(runner::open);
        sweeps.update(Flux.interval(Duration.ZERO, SWEEP)
                .onBackpressureDrop()
                .concatMap(time -> leftovers.giveUpAll(), 1)
                .subscribe());
    }

    /**
     * Takes a job.
     *
     * @throws InvalidJobException (as an error of the result) if it cannot be understood
     */
    public Mono<JobStatus> submit(Principal who, JobRequest request) {
        return submitOnce(who, request).map(SubmissionResult::job);
    }

    /** The same, telling besides whether its client token had been submitted before. */
    public Mono<SubmissionResult> submitOnce(Principal who, JobRequest request) {
        return thread.call(() -> {
            JobSpec spec = JobRequestParser.read(request, clock.instant());
            Optional<Job> same = known.submittedBefore(who, request);
            if (same.isPresent()) {
                return new SubmissionResult(same.get().status(), false);
            }
            rights.require(who, spec);
            workshop.require(spec);
            known.failuresOf(who, spec);
            keeping.require(who, spec, known.all());
            StoredJob stored = StoredJob.submitted(ids.next(), who.name(), request, clock.instant());
            known.makeRoom(stored, keeping::isKeeping);
            Job job = new Job(JobFolder.create(folder, stored), stored, JobProgress.NONE);
            known.add(job);
            keeping.update(known.all());
            log.info("Job {} of '{}': {}", stored.id(), who.name(), spec.kind().text());
            runner.startWaiting();
            return new SubmissionResult(job.status(), true);
        });
    }

    /**
     * One job.
     *
     * @throws JobException of kind NO_SUCH_JOB
     */
    public JobStatus get(Principal who, String id) {
        return known.find(who, id).status();
    }

    /**
     * Jobs, the youngest first.
     *
     * @param before the id of the last one on the page before
     */
    public List<JobStatus> list(Principal who, Optional<String> before, int most) {
        return known.seenBy(who, before, most).stream().map(Job::status).toList();
    }

    /** How many jobs are in a state; a look into memory. */
    public long count(JobState state) {
        return known.count(state);
    }

    /** What failed, as far as it is kept by name, in the order in which it failed. */
    public Mono<List<ObjectFailure>> failures(Principal who, String id) {
        return thread.call(() -> known.find(who, id).folder().failures());
    }

    /** Stops a job so that it can be resumed. It is pausing until nothing of it is under way any more. */
    public Mono<JobStatus> pause(Principal who, String id) {
        return thread.call(() -> {
            Job job = known.find(who, id);
            JobState state = job.stored().state();
            if (state != JobState.PAUSING) {
                if (!state.isToWork()) {
                    throw conflict(job, "is not at work");
                }
                runner.pause(job);
            }
            return job.status();
        });
    }

    /** Lets a job go on that was paused or failed. */
    public Mono<JobStatus> resume(Principal who, String id) {
        return thread.call(() -> {
            Job job = known.find(who, id);
            JobState state = job.stored().state();
            if (state != JobState.PAUSED && state != JobState.FAILED) {
                throw conflict(
                        job,
                        state == JobState.DONE_WITH_FAILURES
                                ? "has ended, and what failed can be retried as a job of its own (millrace jobs retry)"
                                : "is neither paused nor failed");
            }
            job.keep(job.stored().waiting());
            runner.startWaiting();
            return job.status();
        });
    }

    /** Ends a job; what it has done stays done. It is cancelling until nothing of it is under way, and nothing unfinished left. */
    public Mono<JobStatus> cancel(Principal who, String id) {
        return thread.call(() -> {
            Job job = known.find(who, id);
            if (job.stored().state().isOver()) {
                throw conflict(job, "is over");
            }
            if (job.stored().state() != JobState.CANCELLING) {
                runner.cancel(job);
            }
            return job.status();
        });
    }

    /** Forgets a job that is over. */
    public Mono<Void> delete(Principal who, String id) {
        return thread.call(() -> {
                    Job job = known.find(who, id);
                    if (job.stored().state().isActive() || job.run() != null) {
                        throw conflict(job, "is at work: cancel it first");
                    }
                    known.remove(job);
                    keeping.update(known.all());
                    return job;
                })
                .flatMap(job -> leftovers.giveUp(job).then(thread.call(() -> {
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
        sweeps.dispose();
        thread.call(runner::close)
                .flatMap(Mono::when)
                .timeout(
                        LAST_BYTES,
                        Mono.fromRunnable(() -> log.warn(
                                "Requests of jobs are still under way after {} and are cut off; the jobs go on after the next start",
                                LAST_BYTES)))
                .block();
        thread.close();
    }

    private static JobException conflict(Job job, String why) {
        return new JobException(
                JobException.Kind.CONFLICT,
                "job %s %s: it is %s"
                        .formatted(job.stored().id(), why, job.status().state().text()));
    }
}
