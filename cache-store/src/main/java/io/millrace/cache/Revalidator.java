package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Fetches an object's current metadata with at most one request at a time per object. A caller that needs a request
 * sent after its own call joins the one that follows: at most one request is running and one more waits for its end.
 */
final class Revalidator {
    private final ConcurrentMap<ObjectId, RunningRequest> running = new ConcurrentHashMap<>();

    /** A running request, and the one that follows it. */
    private static final class RunningRequest {
        final Sinks.One<ObjectMetadata> answer = Sinks.one();

        @Nullable RunningRequest next;
    }

    /**
     * Returns the result of a request.
     *
     * @param strict whether the request must be sent after this call
     * @param request creates a request
     */
    Mono<ObjectMetadata> revalidate(ObjectId id, boolean strict, Supplier<Mono<ObjectMetadata>> request) {
        return Mono.defer(() -> {
            RunningRequest[] joined = new RunningRequest[1];
            RunningRequest[] started = new RunningRequest[1];
            running.compute(id, (key, current) -> {
                if (current == null) {
                    started[0] = new RunningRequest();
                    joined[0] = started[0];
                    return started[0];
                }
                if (!strict) {
                    joined[0] = current;
                } else {
                    if (current.next == null) {
                        current.next = new RunningRequest();
                    }
                    joined[0] = current.next;
                }
                return current;
            });
            if (started[0] != null) {
                send(id, started[0], request);
            }
            return joined[0].answer.asMono();
        });
    }

    /** Lets no further caller join a request that was sent before; those that have joined still get its result. */
    void stopSharing(ObjectId id) {
        running.remove(id);
    }

    /** Lets no further caller join a request of these objects that was sent before. */
    void stopSharing(ObjectPrefix below) {
        running.keySet().removeIf(below::holds);
    }

    private void send(ObjectId id, RunningRequest round, Supplier<Mono<ObjectMetadata>> request) {
        request.get()
                .switchIfEmpty(Mono.error(() -> new BackendException(
                        BackendException.FailureKind.INVALID_RESPONSE,
                        "no response to a metadata request for " + id.object())))
                .subscribe(
                        head -> {
                            sendNext(id, round, request);
                            round.answer.tryEmitValue(head);
                        },
                        failure -> {
                            sendNext(id, round, request);
                            round.answer.tryEmitError(failure);
                        });
    }

    private void sendNext(ObjectId id, RunningRequest ended, Supplier<Mono<ObjectMetadata>> request) {
        RunningRequest[] next = new RunningRequest[1];
        running.compute(id, (key, current) -> {
            next[0] = ended.next;
            return current == ended ? ended.next : current;
        });
        if (next[0] != null) {
            send(id, next[0], request);
        }
    }
}
