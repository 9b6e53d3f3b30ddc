package io.millrace.cache.fill;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import reactor.core.scheduler.Schedulers;

/** Bytes that fills may hold together. Who gets none now is told when there are some, in the order they asked. */
public final class MemoryBudget {
    private final long size;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private long used;

    private record Waiting(long bytes, Runnable reserved) {}

    /**
     * @param size bytes
     */
    public MemoryBudget(long size) {
        this.size = size;
    }

    /** Bytes that are reserved now. */
    public synchronized long used() {
        return used;
    }

    /** Whether somebody waits for some. */
    public synchronized boolean isShort() {
        return !waiting.isEmpty();
    }

    /**
     * Takes so many bytes, or calls {@code reserved} when they were taken, on another thread.
     *
     * @return whether they were taken at once
     */
    boolean reserve(long bytes, Runnable reserved) {
        synchronized (this) {
            if (waiting.isEmpty() && fits(bytes)) {
                used += bytes;
                return true;
            }
            waiting.add(new Waiting(bytes, reserved));
            return false;
        }
    }

    void release(long bytes) {
        List<Runnable> lucky = new ArrayList<>();
        synchronized (this) {
            used -= bytes;
            while (!waiting.isEmpty() && fits(waiting.peek().bytes())) {
                Waiting next = waiting.remove();
                used += next.bytes();
                lucky.add(next.reserved());
            }
        }
        // On other threads: what goes on now may end at once and give back in turn, as deep as there are waiting ones.
        lucky.forEach(Schedulers.parallel()::schedule);
    }

    /** One block fits in any case, so that nobody waits for ever. */
    private boolean fits(long bytes) {
        return used == 0 || used + bytes <= size;
    }
}
