package io.millrace.gateway.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A clock that a test advances; what is due runs on its thread. Thread-safe. */
final class ManualTime implements PeerClock {
    private final List<Task> tasks = new ArrayList<>();
    private long now;

    private record Task(long at, Runnable work) {}

    @Override
    public synchronized long nanoTime() {
        return now;
    }

    @Override
    public synchronized void schedule(Duration delay, Runnable task) {
        tasks.add(new Task(now + delay.toNanos(), task));
    }

    /** Returns how many tasks are not due yet. */
    synchronized int waiting() {
        return tasks.size();
    }

    void advance(Duration duration) {
        long end = nanoTime() + duration.toNanos();
        for (Optional<Task> due = next(end); due.isPresent(); due = next(end)) {
            due.get().work().run();
        }
    }

    private synchronized Optional<Task> next(long end) {
        Optional<Task> due = tasks.stream().filter(task -> task.at() <= end).min(Comparator.comparingLong(Task::at));
        now = due.map(task -> Math.max(now, task.at())).orElse(end);
        due.ifPresent(tasks::remove);
        return due;
    }
}
