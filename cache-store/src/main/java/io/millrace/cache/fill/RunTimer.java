package io.millrace.cache.fill;

import io.millrace.cache.async.CallerRunsTaskQueue;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Schedulers;

/** A timer of a run: its step runs among the other steps of the run, and a new one replaces the one that is pending. */
final class RunTimer {
    private final CallerRunsTaskQueue steps;
    private final Disposable.Swap pending = Disposables.swap();

    RunTimer(CallerRunsTaskQueue steps) {
        this.steps = steps;
    }

    void schedule(Duration after, Runnable step) {
        pending.update(Schedulers.parallel().schedule(() -> steps.run(step), after.toMillis(), TimeUnit.MILLISECONDS));
    }

    /** Ends the timer: no step is scheduled any more. */
    void stop() {
        pending.dispose();
    }
}
