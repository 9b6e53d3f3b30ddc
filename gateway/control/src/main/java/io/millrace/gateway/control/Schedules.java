package io.millrace.gateway.control;

import io.millrace.gateway.jobs.JobService;
import io.millrace.gateway.jobs.JobStatus;
import io.millrace.gateway.jobs.plan.JobException;
import io.millrace.gateway.jobs.plan.RawJobRequest;
import io.millrace.gateway.jobs.store.JobState;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The schedules of the settings: looks each second which are due, and submits their jobs. Once started it is used by
 * any thread; it never blocks.
 */
public final class Schedules implements SmartLifecycle {
    /** What may come of a time. */
    public static final List<String> OUTCOMES =
            List.of(ScheduleOutcome.STARTED, ScheduleOutcome.SKIPPED, ScheduleOutcome.MISSED, ScheduleOutcome.FAILED);

    private static final Logger log = LoggerFactory.getLogger(Schedules.class);

    /** Short looks notice at once that the clock was set. */
    private static final Duration STEP = Duration.ofSeconds(1);

    /** What is due later waits for it, and it is tried again. */
    private static final Duration LONGEST_SUBMISSION = Duration.ofSeconds(30);

    private final JobSubmitter jobs;
    private final FiringPermit permit;
    private final BiConsumer<String, String> recorder;
    private final InstantSource clock;
    private final Disposable.Swap rounds = Disposables.swap();
    private volatile boolean running;
    private volatile Map<String, ScheduleSettings> settings;

    /** By name. Changed by one round at a time. */
    private final Map<String, Schedule> schedules = new ConcurrentSkipListMap<>();

    /** @param recorder takes the name of a schedule and the outcome of a time */
    Schedules(
            JobSubmitter jobs,
            FiringPermit permit,
            Map<String, ScheduleSettings> settings,
            BiConsumer<String, String> recorder,
            InstantSource clock) {
        this.jobs = jobs;
        this.permit = permit;
        this.settings = Map.copyOf(settings);
        this.recorder = recorder;
        this.clock = clock;
    }

    /**
     * Creates the schedules of a gateway, which begin with {@link #start}.
     *
     * @param recorder takes the name of a schedule and the outcome of a time
     */
    public static Schedules of(
            JobService jobs, Map<String, ScheduleSettings> settings, BiConsumer<String, String> recorder) {
        return new Schedules(JobSubmitter.to(jobs), FiringPermit.ALWAYS, settings, recorder, InstantSource.system());
    }

    /** Takes over changed settings. */
    public void replace(Map<String, ScheduleSettings> changed) {
        settings = Map.copyOf(changed);
    }

    /** Returns the schedules in the order of their names. */
    List<Schedule> all() {
        return List.copyOf(schedules.values());
    }

    @Override
    public void start() {
        running = true;
        rounds.update(Flux.interval(Duration.ZERO, STEP)
                .onBackpressureDrop()
                .concatMap(time -> round(), 1)
                .subscribe());
    }

    @Override
    public void stop() {
        running = false;
        rounds.update(Disposables.disposed());
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Submits the jobs of the schedules that are due; never fails. */
    Mono<Void> round() {
        return Mono.defer(() -> {
                    Instant now = clock.instant();
                    follow(settings, now);
                    return Flux.fromIterable(all())
                            .filter(schedule -> schedule.isDue(now))
                            .flatMap(schedule -> fire(schedule, now))
                            .then();
                })
                .onErrorResume(failure -> {
                    log.error("Schedules are looked at again in a second", failure);
                    return Mono.empty();
                });
    }

    private void follow(Map<String, ScheduleSettings> current, Instant now) {
        schedules.keySet().retainAll(current.keySet());
        current.forEach((name, own) -> schedules.compute(
                name,
                (same, known) -> known == null
                        ? found(name, own, now)
                        : known.with(own, now).at(now)));
    }

    /** Returns a schedule that goes on after the last time whose job is still there. */
    private Schedule found(String name, ScheduleSettings own, Instant now) {
        Optional<ScheduleOutcome> last = jobs.latest(own.identity(), ScheduleToken.start(name))
                .flatMap(job -> ScheduleToken.time(name, job.request().clientToken())
                        .map(time -> ScheduleOutcome.started(time, job.id())));
        return Schedule.of(name, own, last.map(ScheduleOutcome::time).orElse(now), last.orElse(null))
                .at(now);
    }

    private Mono<Void> fire(Schedule schedule, Instant now) {
        Optional<Instant> time = schedule.timeAt(now);
        if (time.isEmpty()) {
            settle(schedule.missed(now));
            return Mono.empty();
        }
        Optional<JobStatus> before = jobs.latest(schedule.settings().identity(), ScheduleToken.start(schedule.name()));
        if (before.filter(job -> isOf(schedule.name(), time.get(), job)).isPresent()) {
            // Not submitted again: the settings may have another job by now.
            settle(schedule.passed(
                    time.get(), ScheduleOutcome.started(time.get(), before.get().id())));
            return Mono.empty();
        }
        if (before.filter(Schedules::goesOn).isPresent()) {
            settle(schedule.passed(time.get(), skipped(time.get(), before.get())));
            return Mono.empty();
        }
        Optional<JobStatus> failed = before.filter(job -> job.state() == JobState.FAILED);
        return submit(schedule, time.get(), now)
                .filter(settled -> failed.isPresent() && isStarted(settled))
                .flatMap(settled -> giveUpFailed(settled, failed.orElseThrow().id()));
    }

    private static boolean isStarted(Schedule schedule) {
        ScheduleOutcome last = schedule.last();
        return last != null && last.outcome().equals(ScheduleOutcome.STARTED);
    }

    /** Failed jobs are kept until somebody ends them, so those of a schedule would fill the memory of jobs. */
    private Mono<Void> giveUpFailed(Schedule schedule, String job) {
        return jobs.giveUpFailed(schedule.settings().identity(), job)
                .timeout(LONGEST_SUBMISSION)
                .onErrorResume(failure -> {
                    log.warn(
                            "Schedule {}: its failed job {} is not cancelled: {}",
                            schedule.name(),
                            job,
                            reason(failure));
                    return Mono.empty();
                });
    }

    private static boolean goesOn(JobStatus job) {
        return job.state().isActive() || job.state() == JobState.PAUSED;
    }

    /** Returns whether a job is that of the time itself, whose submission seemed to fail. */
    private static boolean isOf(String schedule, Instant time, JobStatus job) {
        return ScheduleToken.of(schedule, time).equals(job.request().clientToken());
    }

    private static ScheduleOutcome skipped(Instant time, JobStatus before) {
        return ScheduleOutcome.of(
                time,
                ScheduleOutcome.SKIPPED,
                "its last job, %s, is still %s"
                        .formatted(before.id(), before.state().text()));
    }

    private Mono<Schedule> submit(Schedule schedule, Instant time, Instant now) {
        RawJobRequest request =
                schedule.settings().job().request().withClientToken(ScheduleToken.of(schedule.name(), time));
        return permit.mayFire(schedule.name(), time)
                .flatMap(mayFire -> mayFire
                        ? jobs.submit(schedule.settings().identity(), request)
                                .map(job -> schedule.passed(time, ScheduleOutcome.started(time, job.id())))
                        : Mono.just(schedule.elsewhere(time)))
                .timeout(LONGEST_SUBMISSION, Mono.error(Schedules::tooSlow))
                .onErrorResume(failure -> Mono.just(
                        schedule.failed(now, ScheduleOutcome.of(time, ScheduleOutcome.FAILED, reason(failure)))))
                .doOnNext(this::settle);
    }

    private static JobException tooSlow() {
        return new JobException(
                JobException.Kind.UNSUPPORTED,
                "its submission took more than %d s: the backend of its bucket may be away"
                        .formatted(LONGEST_SUBMISSION.toSeconds()));
    }

    private static String reason(Throwable failure) {
        return ApiProblemMapper.toProblem(failure)
                .map(problem -> problem.field() == null ? problem.detail() : problem.field() + ' ' + problem.detail())
                .orElseGet(failure::toString);
    }

    private void settle(Schedule schedule) {
        Schedule before = schedules.put(schedule.name(), schedule);
        ScheduleOutcome outcome = schedule.last();
        if (outcome != null && (before == null || !outcome.equals(before.last()))) {
            report(schedule.name(), outcome);
        }
    }

    private void report(String schedule, ScheduleOutcome outcome) {
        recorder.accept(schedule, outcome.outcome());
        outcome.job()
                .ifPresentOrElse(
                        job -> log.info("Schedule {}: its time {} started job {}", schedule, outcome.time(), job),
                        () -> log.warn(
                                "Schedule {}: its time {} is {}: {}",
                                schedule,
                                outcome.time(),
                                outcome.outcome(),
                                outcome.message()));
    }
}
