package io.millrace.gateway.jobs;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.jobs.plan.InvalidJobException;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobCheckpoint;
import io.millrace.gateway.jobs.store.JobEvent;
import io.millrace.gateway.jobs.store.JobFolder;
import io.millrace.gateway.jobs.store.JobIdGenerator;
import io.millrace.gateway.jobs.store.JobState;
import io.millrace.gateway.jobs.store.JobStateThread;
import io.millrace.gateway.jobs.store.JobTransitions;
import io.millrace.gateway.jobs.store.JobTransitions.Event;
import io.millrace.gateway.jobs.store.ObjectFailure;
import io.millrace.gateway.jobs.store.ProgressReport;
import io.millrace.gateway.jobs.store.StoredJob;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.kit.file.PrivateFolder;
import io.millrace.kit.share.FairSemaphore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The jobs of this gateway: takes, stores, runs and lists them, and continues them after a restart. Thread-safe. Only
 * {@link #open} and {@link #close} block.
 */
public final class JobService implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(JobService.class);

    /** Time between two attempts to abort uploads at backends that were unavailable. */
    private static final Duration SWEEP = Duration.ofMinutes(10);

    /** The longest wait of a stop for the last requests of jobs; shorter than the grace period of service managers. */
    private static final Duration LAST_BYTES = Duration.ofSeconds(10);

    /** One part in this many of the heap is for the requests of jobs, all of which are in memory. */
    private static final int SHARE = 8;

    private final Path folder;
    private final JobRegistry registry;
    private final Supplier<JobAccess> access;
    private final JobServices services;
    private final JobPins pins;
    private final OrphanUploadCleaner orphans;
    private final JobScheduler scheduler;
    private final JobStateThread thread = new JobStateThread();
    private final JobIdGenerator ids;
    private final InstantSource clock;
    private final Disposable.Swap sweeps = Disposables.swap();
    private final AtomicBoolean closed = new AtomicBoolean();

    private JobService(
            Path folder,
            JobRegistry registry,
            JobSettings settings,
            Supplier<JobAccess> access,
            JobServices services,
            TaskResultListener recorder) {
        this.folder = folder;
        this.registry = registry;
        this.access = access;
        this.services = services;
        this.clock = services.clock();
        this.ids = new JobIdGenerator(clock);
        this.pins = new JobPins(
                () -> access.get().buckets(),
                services.cache().map(JobCacheAccess::pin).orElse(none -> {}),
                clock);
        this.orphans = new OrphanUploadCleaner(
                folder, registry, notes -> services.uploads(access.get().buckets(), notes), thread);
        this.scheduler = new JobScheduler(registry, settings, access, services, orphans, pins, thread, recorder);
        pins.update(registry.all());
    }

    /**
     * Reads the jobs of a data folder; blocks. They run after {@link #start}.
     *
     * @param access returns the rights and buckets of the settings in force
     * @param cache empty if there is no cache
     * @param fetcher for downloads; the caller closes it
     * @throws IOException if the folder cannot be read or written; the message names it
     */
    public static JobService open(
            Path data,
            JobSettings settings,
            Supplier<JobAccess> access,
            FencedWrites writes,
            Optional<JobCacheAccess> cache,
            HttpFetcher fetcher,
            TaskResultListener recorder,
            InstantSource clock)
            throws IOException {
        Path folder = data.resolve("jobs");
        if (!PrivateFolder.restrict(folder)) {
            log.warn("Users other than its owner can read the jobs in {}, {}", folder, PrivateFolder.whyShared(folder));
        }
        JobRegistry registry = new JobRegistry(
                () -> access.get().authorizer(), Runtime.getRuntime().maxMemory() / SHARE);
        for (JobFolder found : JobFolder.all(folder)) {
            registry.add(taken(found, clock));
        }
        JobServices services =
                new JobServices(writes, cache, fetcher, new FairSemaphore(UnrangedDownload.BLOCKS), clock);
        return new JobService(folder, registry, settings, access, services, recorder);
    }

    private static Job taken(JobFolder found, InstantSource clock) throws IOException {
        StoredJob read = found.read();
        JobCheckpoint checkpoint = found.restore();
        Duration worked = read.wasRunning() ? found.lastRun() : Duration.ZERO;
        StoredJob stored = read.restored(clock.instant(), worked);
        found.close();
        if (stored.state().isOver()) {
            // A kill may have left it behind.
            found.deleteArrangement();
        }
        return new Job(found, stored, ProgressReport.atRest(checkpoint.progress(), checkpoint.left()));
    }

    /** Calls a listener for each job that ends, on the job thread, which it must not block; before the start. */
    public void onEnd(Consumer<JobStatus> listener) {
        scheduler.onEnd(listener);
    }

    /** Continues the jobs of the last process and begins to run new ones. */
    public void start() {
        thread.execute(scheduler::open);
        sweeps.update(Flux.interval(Duration.ZERO, SWEEP)
                .onBackpressureDrop()
                .concatMap(time -> orphans.giveUpAll(), 1)
                .subscribe());
    }

    /**
     * Submits a job.
     *
     * @throws InvalidJobException (as an error of the result) if the request is invalid
     */
    public Mono<JobStatus> submit(Principal caller, RawJobRequest request) {
        return submitOnce(caller, request).map(SubmissionResult::job);
    }

    /** Submits a job, and reports whether its client token is new. */
    public Mono<SubmissionResult> submitOnce(Principal caller, RawJobRequest request) {
        if (!caller.canOwnJobs()) {
            // Its name is chosen by the client, so two owners could share it, and a job outlasts it.
            return Mono.error(new JobException(
                    JobException.Kind.DENIED,
                    "sessions of roles cannot submit jobs, which run longer than they last, unless they are of"
                            + " a person and have no tags: sign with the keys of an identity"));
        }
        if (access.get().credentials().isRevoked(caller, clock.instant())) {
            // Whoever sends a request is not, but who is named by a schedule or by another member may be.
            return Mono.error(new JobException(
                    JobException.Kind.DENIED, "the credentials of '%s' were revoked".formatted(caller.name())));
        }
        return thread.call(() -> {
                    Instant now = clock.instant();
                    JobSpec spec = JobTypes.read(request, now);
                    return existing(caller, request, spec).then(thread.call(() -> create(caller, request, spec, now)));
                })
                .flatMap(submitted -> submitted);
    }

    private Mono<Void> existing(Principal caller, RawJobRequest request, JobSpec spec) throws IOException {
        return registry.submittedBefore(caller, request).isPresent()
                ? Mono.empty()
                : requireAllowed(caller, spec).requireExisting();
    }

    /**
     * Checks what can be checked without a backend, and returns what the job would use.
     *
     * @throws InvalidJobException if the job cannot run, as far as the settings tell
     */
    private JobContext requireAllowed(Principal caller, JobSpec spec) throws IOException {
        JobAccess now = access.get();
        JobContext context = now.contextOf(spec, services);
        new JobAuthorizer(now.authorizer(), caller, context).require();
        context.check();
        registry.failuresOf(caller, context);
        pins.require(caller, spec, registry.all());
        return context;
    }

    private SubmissionResult create(Principal caller, RawJobRequest request, JobSpec spec, Instant now)
            throws IOException {
        Optional<Job> earlier = registry.submittedBefore(caller, request);
        if (earlier.isPresent()) {
            return new SubmissionResult(earlier.get().status(), false);
        }
        requireAllowed(caller, spec);
        StoredJob stored = StoredJob.submitted(ids.next(), caller.name(), request, now);
        registry.evictFor(stored, pins::isPinning);
        Job job = new Job(JobFolder.create(folder, stored), stored, spec);
        registry.add(job);
        pins.update(registry.all());
        log.info("Job {} of '{}': {}", stored.id(), caller.name(), spec.kind());
        scheduler.startWaiting();
        return new SubmissionResult(job.status(), true);
    }

    /**
     * Returns a job.
     *
     * @throws JobException of kind NO_SUCH_JOB
     */
    public JobStatus get(Principal caller, String id) {
        return registry.find(caller, id).status();
    }

    /**
     * Returns jobs, the youngest first.
     *
     * @param wanted the states of these jobs
     * @param before the id of the last job of the previous page
     */
    public List<JobStatus> list(Principal caller, Predicate<JobState> wanted, Optional<String> before, int limit) {
        return registry.seenBy(caller, wanted, before, limit);
    }

    /** Returns who owns the jobs of this name; empty if there is nobody of it. */
    public Optional<Principal> owner(String name) {
        return access.get().credentials().named(name);
    }

    /** Returns the job that an owner has submitted with a client token; reads memory only. */
    public Optional<JobStatus> submittedWith(Principal owner, String token) {
        return registry.submittedWith(owner.name(), token).map(Job::status);
    }

    /** Returns the newest job that an owner has submitted with a client token of this beginning; reads memory only. */
    public Optional<JobStatus> latestWith(String owner, String tokenStart) {
        return registry.latestWith(owner, tokenStart).map(Job::status);
    }

    /** Returns whether a caller may see jobs of an owner with such a request. */
    public boolean maySee(Principal caller, String owner, RawJobRequest request) {
        return registry.maySee(caller, owner, request);
    }

    /**
     * Returns the jobs that pin objects now.
     *
     * @param known ids of jobs whose requests the caller has
     * @param most how many other requests are returned
     */
    public Mono<List<JobPin>> pins(Set<String> known, int most) {
        return thread.call(() -> pins.pinning(registry.all(), known, most));
    }

    /** Pins what jobs of other members pin, instead of what was pinned for them before. */
    public Mono<Void> followPins(List<JobPin> others) {
        return thread.run(() -> pins.follow(others, registry.all()));
    }

    /** Returns all jobs that run or wait to run, the oldest first; reads memory only. */
    public List<JobStatus> active() {
        return registry.all().stream()
                .filter(job -> job.stored().state().isActive())
                .map(Job::status)
                .toList();
    }

    /** Returns the number of jobs in a state; reads memory only. */
    public long count(JobState state) {
        return registry.count(state);
    }

    /** Returns the failures, in order, as far as they are stored by name. */
    public Mono<List<ObjectFailure>> failures(Principal caller, String id) {
        return thread.call(() -> registry.find(caller, id).folder().failures());
    }

    /** Stops a job so that it can be resumed. It is PAUSING until its last request has ended. */
    public Mono<JobStatus> pause(Principal caller, String id) {
        return thread.call(() -> {
            Job job = registry.findToChange(caller, id);
            JobState next = next(job, Event.PAUSE, "is not active");
            if (next != job.stored().state()) {
                scheduler.pause(job, next, caller.name());
            }
            return job.status();
        });
    }

    /**
     * Lets all jobs use the settings that {@code access} returns now: interrupts and continues the runs that these
     * concern.
     */
    public void refresh() {
        thread.run(() -> {
                    pins.refresh(registry.all());
                    scheduler.restartChanged();
                })
                .subscribe(done -> {}, failure -> log.error("Jobs cannot follow the changed settings", failure));
    }

    /** Resumes a paused or failed job. */
    public Mono<JobStatus> resume(Principal caller, String id) {
        return thread.call(() -> {
            Job job = registry.findToChange(caller, id);
            JobState next = next(
                    job,
                    Event.RESUME,
                    job.stored().state() == JobState.DONE_WITH_FAILURES
                            ? "has ended; retry its failures as a new job (millrace jobs retry)"
                            : "is neither paused nor failed");
            job.keep(job.stored()
                    .waiting(next)
                    .with(JobEvent.by(caller.name(), JobEvent.Kind.RESUMED, clock.instant())));
            log.info("Job {} is resumed: {}", id, job.progressText());
            scheduler.startWaiting();
            return job.status();
        });
    }

    /**
     * Cancels a job; objects that are done stay done. It is CANCELLING until its last request has ended and its uploads
     * are aborted.
     */
    public Mono<JobStatus> cancel(Principal caller, String id) {
        return thread.call(() -> {
            Job job = registry.findToChange(caller, id);
            JobState next = next(job, Event.CANCEL, "has ended");
            if (next != job.stored().state()) {
                scheduler.cancel(job, next, caller.name());
            }
            return job.status();
        });
    }

    /** Deletes a job that is not active. */
    public Mono<Void> delete(Principal caller, String id) {
        return thread.call(() -> {
                    Job job = registry.findToChange(caller, id);
                    if (job.stored().state().isActive() || job.run() != null) {
                        throw conflict(job, "is active: cancel it first");
                    }
                    registry.remove(job);
                    pins.update(registry.all());
                    return job;
                })
                .flatMap(job -> orphans.giveUp(job).then(thread.run(job.folder()::delete)));
    }

    /** Stops all jobs, which continue after the next start; waits until that is on disk. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        sweeps.dispose();
        thread.call(scheduler::close)
                .flatMap(Mono::when)
                .timeout(
                        LAST_BYTES,
                        Mono.fromRunnable(() -> log.warn(
                                "Requests of jobs still run after {}, so they are cut off; the jobs continue after "
                                        + "the next start",
                                LAST_BYTES)))
                .block();
        thread.close();
    }

    private static JobState next(Job job, Event event, String whyNot) {
        return JobTransitions.next(job.stored().state(), event).orElseThrow(() -> conflict(job, whyNot));
    }

    private static JobException conflict(Job job, String why) {
        return new JobException(
                JobException.Kind.CONFLICT,
                "job %s %s: it is %s"
                        .formatted(job.stored().id(), why, job.status().state().text()));
    }
}
