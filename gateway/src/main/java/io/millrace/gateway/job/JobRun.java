package io.millrace.gateway.job;

import io.millrace.backend.spi.ByteRange;
import io.millrace.gateway.job.plan.Item;
import io.millrace.gateway.job.plan.Plan;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * A job at work: takes the objects of its plan in order, as many at a time as it has workers, and writes down how each ended
 * before it takes another in its place. What it knows belongs to the {@link JobThread}; the snapshot of its progress may be read by any.
 */
final class JobRun {
    /** How many lines a journal has at most; as many are read again after a kill. */
    private static final int JOURNAL_LINES = 10_000;

    private static final long CHECKPOINT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** What is counted is told each time so many objects have been found. */
    private static final int COUNTED_AT_ONCE = 1000;

    /** Counting rests so many times as long as it works: beside the work itself nobody waits for it, and its pages cost readers theirs. */
    private static final int RESTS = 2;

    private static final Duration LONGEST_REST = Duration.ofSeconds(2);

    private static final Duration SAMPLE = Duration.ofSeconds(1);

    /** So many objects in a row that fail as if their backend were away, and each worker has met one. */
    private static final int ENOUGH = 50;

    private final JobSpec spec;
    private final Plan plan;
    private final ObjectTask task;
    private final JobWrites writes;
    private final JobFolder folder;
    private final JobThread thread;
    private final JobRecorder recorder;
    private final Pace requests;
    private final Mark mark;
    private final Sinks.Empty<Void> noMore = Sinks.empty();
    private final Sinks.Empty<Void> aborted = Sinks.empty();
    private final Sinks.Empty<Void> worked = Sinks.empty();
    private final AtomicReference<@Nullable End> stopped = new AtomicReference<>();
    private final RunProgress progress;
    private @Nullable Runnable parked;
    private long counted;
    private long countedBytes;
    private long restedAt = System.nanoTime();
    private int lines;
    private int failuresKept;
    private int failedInARow;
    private long checkpointAt = System.nanoTime();

    /** How a run ended. */
    record End(JobState state, String message) {}

    /**
     * @param writes of the task
     * @param from what {@link JobFolder#restore} told
     */
    JobRun(
            JobSpec spec,
            Plan plan,
            ObjectTask task,
            JobWrites writes,
            JobFolder folder,
            Checkpoint from,
            JobThread thread,
            JobRecorder recorder) {
        this.spec = spec;
        this.plan = plan;
        this.task = task;
        this.writes = writes;
        this.folder = folder;
        this.thread = thread;
        this.recorder = recorder;
        this.requests = spec.limits().turns();
        boolean resumed = from.position() != null || !from.beyond().isEmpty() || from.journal() > 0;
        this.mark = new Mark(from.position(), from.beyond(), resumed);
        // Nothing that was found may have come since: it is counted anew.
        this.progress =
                new RunProgress(from.progress().found() == 0 ? from.progress().counted(0, 0, false) : from.progress());
    }

    /** What has ended; it is in the checkpoint or the journal. */
    Progress ended() {
        return progress.ended();
    }

    ProgressReport report() {
        return progress.report();
    }

    /** Works until the end, whichever, and until nothing of the work is under way any more; never fails. Subscribed to once. */
    Mono<End> run() {
        return Mono.using(this::sampleSpeed, sampling -> toTheEnd(), Disposable::dispose);
    }

    private Disposable sampleSpeed() {
        return Flux.interval(Duration.ZERO, SAMPLE)
                .onBackpressureDrop()
                .subscribe(tick -> progress.sample(System.nanoTime()));
    }

    private Mono<End> toTheEnd() {
        return (spec.dryRun() ? count(0) : Mono.when(count(RESTS).takeUntilOther(worked.asMono()), work()))
                .takeUntilOther(aborted.asMono())
                .materialize()
                .flatMap(ended -> writes.stop().then(thread.call(() -> {
                    End end = end(ended.getThrowable());
                    progress.giveUp();
                    checkpoint();
                    return end;
                })))
                .onErrorResume(failure -> Mono.just(new End(JobState.FAILED, why(failure))));
    }

    /**
     * Takes no more objects, gives up those under way, and ends so when the last of their requests has ended. A cancel counts more than
     * what was asked before.
     */
    void stop(End end) {
        stopped.updateAndGet(before -> before == null || end.state() == JobState.CANCELLED ? end : before);
        noMore.tryEmitEmpty();
        aborted.tryEmitEmpty();
    }

    private End end(@Nullable Throwable failure) {
        End asked = stopped.get();
        if (asked != null) {
            return asked;
        }
        return failure == null ? endOfAll() : new End(JobState.FAILED, why(failure));
    }

    private End endOfAll() {
        if (!progress.ended().counted()) {
            progress.counted(progress.ended().allEnded());
        }
        Progress now = progress.ended();
        if (now.found() == 0) {
            return new End(
                    JobState.FAILED, "its selection names no object: look at the bucket, the prefix and the patterns");
        }
        return now.failed() > 0 ? new End(JobState.DONE_WITH_FAILURES, "") : new End(JobState.DONE, "");
    }

    private Mono<Void> count(int rests) {
        if (progress.ended().counted()) {
            return Mono.empty();
        }
        return plan.from(Optional.empty())
                .takeUntilOther(noMore.asMono())
                .buffer(COUNTED_AT_ONCE)
                .concatMap(items -> count(items).then(rest(rests)), 0)
                .then(thread.call(() -> {
                    progress.counted(progress.ended().counted(counted, countedBytes, stopped.get() == null));
                    return null;
                }));
    }

    private Mono<Void> count(List<Item> items) {
        return thread.call(() -> {
            counted += items.size();
            countedBytes += items.stream().mapToLong(this::wanted).sum();
            // Behind the end of the work nobody counts any more, and after a start what was found before counts until
            // more is.
            Progress before = progress.ended();
            if (!before.counted() && counted > before.found()) {
                progress.counted(before.counted(counted, countedBytes, false));
            }
            return null;
        });
    }

    /** Bytes of an object that the job is about; 0 if its size is not known. */
    private long wanted(Item item) {
        return spec.range()
                .map(range -> range.within(item.size()).map(ByteRange::length).orElse(0L))
                .orElse(item.size());
    }

    /** As long as the page before it took, so many times. */
    private Mono<Void> rest(int times) {
        return Mono.defer(() -> Mono.delay(
                        Duration.ofNanos(Math.min(LONGEST_REST.toNanos(), times * (System.nanoTime() - restedAt)))))
                .doOnNext(over -> restedAt = System.nanoTime())
                .then();
    }

    private Mono<Void> work() {
        int workers = spec.limits().workers();
        return Mono.defer(() -> plan.from(Optional.ofNullable(mark.position()))
                .takeUntilOther(noMore.asMono())
                .concatMap(this::enter, 1)
                .flatMap(place -> attempt(place).flatMap(ended -> record(place, ended)), workers, 1)
                .then(Mono.fromRunnable(worked::tryEmitEmpty)));
    }

    /** Waits until the window has room. Only one waits at a time. */
    private Mono<Mark.Place> enter(Item item) {
        return Mono.create(sink -> thread.execute(() -> {
            if (mark.isFull()) {
                parked = () -> sink.success(mark.enter(item));
            } else {
                sink.success(mark.enter(item));
            }
        }));
    }

    private Mono<Ended> attempt(Mark.Place place) {
        Item item = place.item();
        return requests.take(1)
                .then(Mono.defer(() -> task.run(item, place.isDoubtful(), progress.attempt(place, wanted(item)))))
                .retryWhen(Failures.retry(spec.limits().attempts()))
                .onErrorResume(failure -> Failures.ofTheJob(failure).isEmpty(), failure -> failed(item, failure));
    }

    private Mono<Ended> failed(Item item, Throwable failure) {
        return thread.call(() -> {
            if (Failures.isPassing(failure)
                    && ++failedInARow >= Math.max(ENOUGH, 2 * spec.limits().workers())) {
                throw new StoppedException(
                        "the last %d objects failed, as if their backend were away; the last one: %s. Resume the job when it is back, and retry what failed"
                                .formatted(failedInARow, Failures.text(failure)));
            }
            return Ended.failed(wanted(item), Failures.text(failure));
        });
    }

    private Mono<Void> record(Mark.Place place, Ended ended) {
        return thread.call(() -> {
            if (ended.outcome() != Ended.Outcome.FAILED) {
                failedInARow = 0;
            } else if (failuresKept++ < JobFolder.MOST_FAILURES) {
                folder.append(new Failure(place.item().name(), ended.reason()));
            }
            folder.append(place.item().identity(), ended);
            progress.end(place, ended);
            recorder.ended(spec.kind(), ended);
            mark.end(place);
            if (++lines >= JOURNAL_LINES || System.nanoTime() - checkpointAt > CHECKPOINT_NANOS) {
                checkpoint();
            }
            unpark();
            return null;
        });
    }

    private void unpark() {
        Runnable waiting = parked;
        if (waiting != null && !mark.isFull()) {
            parked = null;
            waiting.run();
        }
    }

    private void checkpoint() throws IOException {
        folder.write(mark.position(), mark.beyond(), progress.ended());
        lines = 0;
        checkpointAt = System.nanoTime();
    }

    private static String why(Throwable failure) {
        if (failure instanceof IOException) {
            return "how far the job is cannot be written down: " + failure
                    + ". Make room in the data folder, and resume it";
        }
        return Failures.ofTheJob(failure).orElseGet(() -> Failures.text(failure));
    }
}
