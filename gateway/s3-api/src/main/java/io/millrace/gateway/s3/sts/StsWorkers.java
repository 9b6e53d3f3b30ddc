package io.millrace.gateway.s3.sts;

import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.async.SharedRoom;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * The threads that compute for one kind of requests to STS, off the event loops, and the slots before them, of which
 * nobody has more than are left to others. A slot is held while there is something to compute, not while a body or an
 * identity provider is waited for. Thread-safe.
 *
 * @param <K> who is counted
 */
final class StsWorkers<K> {
    /** The slots of each kind. */
    static final int SLOTS = 256;

    private final SharedRoom<K> slots = new SharedRoom<>(SLOTS);
    private final ThreadPoolExecutor threads;

    StsWorkers(String name, int most) {
        threads = DaemonThreads.pool(name + "-", most, Duration.ofMinutes(1), new ArrayBlockingQueue<>(SLOTS));
    }

    /** Begins work on one of the threads, and returns its result; fails with Throttling if there is no slot. */
    <T> Mono<T> run(K who, Supplier<Mono<T>> work) {
        return Mono.<Mono<T>>create(sink -> {
                    if (!slots.take(who, 1)) {
                        sink.error(StsException.throttled());
                        return;
                    }
                    try {
                        threads.execute(() -> sink.success(begin(who, work)));
                    } catch (RejectedExecutionException full) {
                        slots.release(who, 1);
                        sink.error(StsException.throttled());
                    }
                })
                .flatMap(result -> result);
    }

    private <T> Mono<T> begin(K who, Supplier<Mono<T>> work) {
        try {
            return work.get();
        } catch (RuntimeException | Error failure) {
            return Mono.error(failure);
        } finally {
            slots.release(who, 1);
        }
    }
}
