package io.millrace.gateway.jobs.upload;

import java.util.ArrayDeque;
import java.util.Deque;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/** So many blocks are held at a time, whoever holds them; who comes later waits. Safe for use by any number of threads. */
public final class BlockSemaphore {
    private final Deque<MonoSink<Boolean>> waiting = new ArrayDeque<>();
    private int free;

    public BlockSemaphore(int blocks) {
        this.free = blocks;
    }

    /** Completes when there is room; then {@link #giveBack} is owed. */
    public Mono<Boolean> take() {
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

    public void giveBack() {
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

    /** One that is not waiting any more has been given room that it did not see. */
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
