package io.millrace.cache.fill;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs steps one after another, each on the thread of one of the callers: what other threads bring waits for its turn. */
final class Serial {
    private final Queue<Runnable> steps = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();

    void run(Runnable step) {
        steps.add(step);
        if (waiting.getAndIncrement() != 0) {
            return;
        }
        do {
            Runnable next = steps.poll();
            if (next != null) {
                next.run();
            }
        } while (waiting.decrementAndGet() != 0);
    }
}
