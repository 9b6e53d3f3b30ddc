package io.millrace.gateway.jobs;

import java.util.ArrayDeque;
import java.util.Deque;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** Bounds what all callers hold at a time, such as blocks in memory; further callers wait in order. Thread-safe. */
final class FairSemaphore {
    private final Deque<MonoSink<Boolean>> waiting = new ArrayDeque<>();
    private int free;

    FairSemaphore(int permits) {
        this.free = permits;
    }

    /** Completes when there is room; the caller then owes {@link #giveBack}. */
    Mono<Boolean> take() {
        return Mono.create(sink -> {
            synchronized (this) {
                if (free == 0) {
                    waiting.add(sink);
                    sink.onCancel(() -> forget(sink));
                    return;
                }
                free--;
            }
            sink.success(true);
        });
    }

    void giveBack() {
        MonoSink<Boolean> next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                free++;
                return;
            }
        }
        next.success(true);
    }

    /** Frees the room that a cancelled subscriber received without seeing it. */
    private void forget(MonoSink<Boolean> sink) {
        boolean waited;
        synchronized (this) {
            waited = waiting.remove(sink);
        }
        if (!waited) {
            giveBack();
        }
    }
}
