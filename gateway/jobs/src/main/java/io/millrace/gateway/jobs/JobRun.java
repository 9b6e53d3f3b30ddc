package io.millrace.gateway.jobs;

import io.millrace.gateway.jobs.plan.DeletionBudget;
import io.millrace.gateway.jobs.plan.JobSpec;
import io.millrace.gateway.jobs.plan.Plan;
import io.millrace.gateway.jobs.plan.PlanFactory;
import io.millrace.gateway.jobs.plan.PlanItem;
import io.millrace.gateway.jobs.store.JobCannotContinueException;
import io.millrace.gateway.jobs.store.JobCheckpoint;
import io.millrace.gateway.jobs.store.JobFolder;
import io.millrace.gateway.jobs.store.JobProgress;
import io.millrace.gateway.jobs.store.JobStateThread;
import io.millrace.gateway.jobs.store.JobTransitions.Event;
import io.millrace.gateway.jobs.store.LowWatermark;
import io.millrace.gateway.jobs.store.ObjectFailure;
import io.millrace.gateway.jobs.store.ProgressReport;
import io.millrace.gateway.jobs.store.RunProgress;
import io.millrace.gateway.jobs.store.TaskResult;
import io.millrace.gateway.jobs.store.UnfinishedProgress;
import io.millrace.kit.async.RateLimiter;
import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Runs a job: takes the objects of its plan in order, one for each worker, and journals each result before the worker
 * takes the next object. Its state belongs to the {@link JobStateThread}; any thread may read the progress.
 */
final class JobRun {
    /** The most lines of a journal. A start after a crash reads them all. */
    private static final int JOURNAL_LINES = 10_000;

    private static final long CHECKPOINT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Objects between two updates of the counts. */
    private static final int COUNTED_AT_ONCE = 1000;

    /**
     * Counting pauses this many times as long as a page took. It is not urgent, and its listings cost readers theirs.
     */
    private static final int RESTS = 2;

    private static final Duration LONGEST_REST = Duration.ofSeconds(2);

    /** The longest search for what a job came to. */
    private static final Duration LONGEST_SUMMARY = Duration.ofSeconds(30);

    private static final Duration SAMPLE = Duration.ofSeconds(1);

    /**
     * The job stops after this many failures in a row that look like an unavailable backend, and at least two for each
     * worker.
     */
    private static final int ENOUGH = 50;

    private final JobType type;
    private final JobSpec spec;
    private final Plan plan;
    private final JobOutlook outlook;
    private final ObjectTask task;
    private final StoppableWrites writes;
    private final JobFolder folder;
    private final JobStateThread thread;
    private final TaskResultListener recorder;
    private final InstantSource clock;
    private final RateLimiter requests;
    private final LowWatermark watermark;
    private final Sinks.Empty<Void> noMore = Sinks.empty();
    private final Sinks.Empty<Void> aborted = Sinks.empty();
    private final Sinks.Empty<Void> worked = Sinks.empty();
    private final AtomicReference<@Nullable Outcome> stopped = new AtomicReference<>();
    private final RunProgress progress;
    private final RetryReason planning;
    private final RetryReason working = new RetryReason();
    private volatile String warning = "";
    private @Nullable Runnable parked;
    private long counted;
    private long countedBytes;
    private long restedAt = System.nanoTime();
    private int lines;
    private int recordedFailures;
    private int failedInARow;
    private long checkpointAt = System.nanoTime();
    private UnfinishedProgress stored;
    private @Nullable DeletionBudget deletions;

    /** The event that ends a run, and a message for the owner. */
    record Outcome(Event event, String message) {
        /** The outcome of a run that was to stop. */
        static final Outcome STOPPED = new Outcome(Event.STOP, "");

        static Outcome failed(String why) {
            return new Outcome(Event.FAIL, why);
        }

        private boolean isComplete() {
            return event == Event.FINISH || event == Event.FINISH_PARTLY;
        }
    }

    /**
     * Creates a run.
     *
     * @param writes of the task
     * @param isResumed true if an earlier run began, which may have ended objects that it did not record
     * @throws IOException if the folder cannot be read
     */
    JobRun(
            JobContext job,
            Plan plan,
            ObjectTask task,
            StoppableWrites writes,
            JobFolder folder,
            boolean isResumed,
            JobStateThread thread,
            TaskResultListener recorder,
            InstantSource clock)
            throws IOException {
        JobCheckpoint from = folder.restore();
        this.type = job.type();
        this.spec = job.spec();
        this.plan = plan;
        this.outlook = type.outlook(job, plan);
        this.planning = job.planning();
        this.task = task;
        this.writes = writes;
        this.folder = folder;
        this.thread = thread;
        this.recorder = recorder;
        this.clock = clock;
        this.stored = from.left();
        this.deletions = from.deletions();
        this.requests = spec.limits().turns();
        this.watermark = new LowWatermark(from.position(), from.beyond(), isResumed ? type.mostUnrecorded(spec) : 0);
        // Objects may have come since, so an unfinished count begins anew.
        this.progress = new RunProgress(
                from.progress().found() == 0 ? from.progress().counted(0, 0, false) : from.progress(), from.left());
    }

    /** Returns the progress once the run has ended, which the checkpoint holds. */
    ProgressReport reportAtRest() {
        return ProgressReport.atRest(progress.ended(), progress.unfinished());
    }

    /**
     * Returns what the owner should know while the job runs: also why it gets no further; empty if there is nothing.
     */
    String warning() {
        return Stream.of(planning.text(), working.text(), warning)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
    }

    ProgressReport report() {
        return progress.report();
    }

    /** Runs the job until all of its requests have ended, and emits the outcome; never fails. Subscribe once. */
    Mono<Outcome> run() {
        return Mono.using(this::sampleSpeed, sampling -> toTheEnd(), Disposable::dispose);
    }

    private Disposable sampleSpeed() {
        return Flux.interval(Duration.ZERO, SAMPLE)
                .onBackpressureDrop()
                .subscribe(tick -> progress.sample(System.nanoTime()));
    }

    private Mono<Outcome> toTheEnd() {
        return (spec.dryRun()
                        ? count(0)
                        : Mono.when(
                                count(RESTS).takeUntilOther(worked.asMono()),
                                storeProgress().takeUntilOther(worked.asMono()),
                                work()))
                .takeUntilOther(aborted.asMono())
                .materialize()
                .flatMap(ended -> storeAtStop().then(writes.stop()).then(thread.call(() -> {
                    Outcome end = end(ended.getThrowable());
                    checkpoint();
                    return end;
                })))
                .flatMap(this::summarized)
                .onErrorResume(failure -> Mono.just(Outcome.failed(why(failure))));
    }

    /**
     * Takes no more objects, cancels those under way and ends with the outcome of the first call once their last
     * request has ended.
     */
    void stop(Outcome end) {
        stopped.compareAndSet(null, end);
        noMore.tryEmitEmpty();
        aborted.tryEmitEmpty();
    }

    private Outcome end(@Nullable Throwable failure) {
        Outcome requested = stopped.get();
        if (requested != null) {
            return requested;
        }
        return failure == null ? endOfAll() : Outcome.failed(why(failure));
    }

    private Outcome endOfAll() {
        if (!progress.ended().counted()) {
            progress.counted(progress.ended().allEnded());
        }
        JobProgress now = progress.ended();
        if (now.found() == 0) {
            return type.endOfNothing()
                    .map(message -> new Outcome(Event.FINISH, message))
                    .orElseGet(() -> Outcome.failed(
                            "its selection has no objects: check the bucket, the prefix and the patterns"));
        }
        try {
            warning = outlook.counted(now);
        } catch (JobCannotContinueException e) {
            return Outcome.failed(why(e));
        }
        String message = spec.dryRun() ? warning : "";
        return new Outcome(now.failed() > 0 ? Event.FINISH_PARTLY : Event.FINISH, message);
    }

    /** Adds what the owner should know after the end. That is worth some seconds, but no failure. */
    private Mono<Outcome> summarized(Outcome end) {
        if (spec.dryRun() || !end.isComplete()) {
            return Mono.just(end);
        }
        return outlook.endedWithin(LONGEST_SUMMARY, progress.ended())
                .map(text -> text.isEmpty() ? end : new Outcome(end.event(), text));
    }

    private Mono<Void> count(int rests) {
        if (progress.ended().counted()) {
            return thread.run(() -> warning = outlook.counted(progress.ended()));
        }
        return plan.from(Optional.empty())
                .takeUntilOther(noMore.asMono())
                .doOnNext(found -> planning.forget())
                .doOnComplete(planning::forget)
                .buffer(COUNTED_AT_ONCE)
                .concatMap(items -> count(items).then(rest(rests)), 0)
                .then(thread.run(() -> {
                    progress.counted(progress.ended().counted(counted, countedBytes, stopped.get() == null));
                    if (progress.ended().counted()) {
                        warning = outlook.counted(progress.ended());
                    }
                }));
    }

    private Mono<Void> count(List<PlanItem> items) {
        return thread.run(() -> {
            counted += items.size();
            countedBytes += items.stream().mapToLong(this::selected).sum();
            // After the last object nobody needs the count. After a restart the old count stands until the new one
            // exceeds it.
            JobProgress before = progress.ended();
            if (!before.counted() && counted > before.found()) {
                progress.counted(before.counted(counted, countedBytes, false));
            }
        });
    }

    private long selected(PlanItem item) {
        return spec.selectedBytes(item.size());
    }

    /** Waits this many times as long as the last page took. */
    private Mono<Void> rest(int times) {
        return Mono.defer(() -> Mono.delay(
                        Duration.ofNanos(Math.min(LONGEST_REST.toNanos(), times * (System.nanoTime() - restedAt)))))
                .doOnNext(over -> restedAt = System.nanoTime())
                .then();
    }

    private Mono<Void> work() {
        int workers = spec.limits().workers();
        // What is counted only needs no bound.
        Plan bounded = spec.deleteExtra()
                ? PlanFactory.deletingAtMost(plan, spec.maxDelete(), Optional.ofNullable(deletions), this::begin)
                : plan;
        return Mono.defer(() -> bounded.from(Optional.ofNullable(watermark.position()))
                .takeUntilOther(noMore.asMono())
                .doOnNext(found -> planning.forget())
                .doOnComplete(planning::forget)
                .concatMap(this::enter, 1)
                .flatMap(place -> attempt(place).flatMap(ended -> record(place, ended)), workers, 1)
                .then(Mono.fromRunnable(worked::tryEmitEmpty)));
    }

    /** Stores what the job may delete before it deletes anything. */
    private Mono<Void> begin(DeletionBudget budget) {
        return thread.run(() -> {
            deletions = budget;
            checkpoint();
        });
    }

    /** Waits until the window has room. At most one item waits at a time. */
    private Mono<LowWatermark.Position> enter(PlanItem item) {
        return Mono.create(sink -> thread.execute(() -> {
            if (watermark.isFull()) {
                parked = () -> sink.success(watermark.enter(item));
            } else {
                sink.success(watermark.enter(item));
            }
        }));
    }

    private Mono<TaskResult> attempt(LowWatermark.Position place) {
        PlanItem item = place.item();
        return requests.take(1)
                .then(Mono.defer(() -> task.run(item, place.isDoubtful(), progress.attempt(place, selected(item)))))
                .retryWhen(FailureClassifier.retry(spec.limits().attempts(), working))
                .onErrorResume(
                        failure -> FailureClassifier.ofTheJob(failure).isEmpty(), failure -> failed(item, failure));
    }

    private Mono<TaskResult> failed(PlanItem item, Throwable failure) {
        return thread.call(() -> {
            if (FailureClassifier.isPassing(failure)
                    && ++failedInARow >= Math.max(ENOUGH, 2 * spec.limits().workers())) {
                throw new JobCannotContinueException(
                        ("the last %d objects failed, as if their backend were away; the last one: %s. Resume the "
                                        + "job when it is back, and retry what failed")
                                .formatted(failedInARow, FailureClassifier.text(failure)));
            }
            return TaskResult.failed(selected(item), FailureClassifier.text(failure));
        });
    }

    private Mono<Void> record(LowWatermark.Position place, TaskResult ended) {
        return thread.run(() -> {
            working.forget();
            if (ended.outcome() != TaskResult.Outcome.FAILED) {
                failedInARow = 0;
            } else if (recordedFailures++ < JobFolder.MOST_FAILURES) {
                folder.append(new ObjectFailure(place.item().name(), ended.reason(), clock.instant()));
            }
            boolean deleted = place.item().isExtra() && ended.outcome() == TaskResult.Outcome.DONE;
            if (deleted && deletions != null) {
                deletions = deletions.afterDeletion();
            }
            folder.append(place.item().identity(), ended, deleted);
            progress.end(place, ended);
            recorder.ended(spec.kind(), ended);
            watermark.end(place);
            if (++lines >= JOURNAL_LINES || System.nanoTime() - checkpointAt > CHECKPOINT_NANOS) {
                checkpoint();
            }
            unpark();
        });
    }

    /** Stores what is done of large objects, which takes long and would be forgotten by a kill. */
    private Mono<Void> storeProgress() {
        return Flux.interval(Duration.ofNanos(CHECKPOINT_NANOS))
                .onBackpressureDrop()
                .concatMap(
                        tick -> thread.run(() -> {
                            if (System.nanoTime() - checkpointAt > CHECKPOINT_NANOS
                                    && !progress.unfinished().equals(stored)) {
                                checkpoint();
                            }
                        }),
                        1)
                .then();
    }

    /**
     * Stores what is done before the last requests end: the process may not wait for them. The checkpoint after them
     * tells a failure.
     */
    private Mono<Void> storeAtStop() {
        return stopped.get() == null
                ? Mono.empty()
                : thread.run(this::checkpoint).onErrorComplete();
    }

    private void unpark() {
        Runnable waiting = parked;
        if (waiting != null && !watermark.isFull()) {
            parked = null;
            waiting.run();
        }
    }

    private void checkpoint() throws IOException {
        stored = progress.unfinished();
        folder.write(watermark.position(), watermark.beyond(), progress.ended(), stored, deletions);
        lines = 0;
        checkpointAt = System.nanoTime();
    }

    private static String why(Throwable failure) {
        if (failure instanceof IOException) {
            return "its progress cannot be stored: %s. Make room in the data folder, and resume it"
                    .formatted(FileFailureText.of(failure));
        }
        return FailureClassifier.ofTheJob(failure).orElseGet(() -> FailureClassifier.text(failure));
    }
}
