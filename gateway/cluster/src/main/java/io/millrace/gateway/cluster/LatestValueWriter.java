package io.millrace.gateway.cluster;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Writes the states of a value one after another; of those that wait for a running write only the latest.
 * Thread-safe.
 */
final class LatestValueWriter<T> {
    private final DurableValue<T> store;

    /** The state that no write has made durable yet; null if there is none. */
    private @Nullable T latest;

    private boolean writing;

    /** The end of the next write, which may take long, for all that wait for it. Null if nobody does. */
    private Sinks.@Nullable Empty<Void> waiting;

    public LatestValueWriter(DurableValue<T> store) {
        this.store = store;
    }

    /** Writes a state; completes when it or a later one is durable. */
    public Mono<Void> write(T state) {
        synchronized (this) {
            latest = state;
        }
        return settle();
    }

    /** Completes when the last state is durable: at once if it is. Writes it again if that failed. */
    public Mono<Void> settle() {
        Sinks.Empty<Void> done;
        synchronized (this) {
            if (!writing && latest == null) {
                return Mono.empty();
            }
            done = waiting == null ? Sinks.empty() : waiting;
            waiting = done;
        }
        writeNext();
        return done.asMono();
    }

    private void writeNext() {
        @Nullable T state;
        Sinks.Empty<Void> covered;
        synchronized (this) {
            if (writing || waiting == null) {
                return;
            }
            state = latest;
            writing = state != null;
            covered = waiting;
            waiting = null;
        }
        if (state == null) {
            covered.tryEmitEmpty();
            return;
        }
        Mono.defer(() -> store.write(state))
                .subscribe(
                        done -> {},
                        failure -> {
                            ended(null);
                            covered.tryEmitError(failure);
                        },
                        () -> {
                            ended(state);
                            covered.tryEmitEmpty();
                        });
    }

    private void ended(@Nullable T written) {
        synchronized (this) {
            writing = false;
            if (latest == written) {
                latest = null;
            }
        }
        writeNext();
    }
}
