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
    private final ConcurrentMap<ObjectId, Round> rounds = new ConcurrentHashMap<>();

    /** A request under way, and the one that follows it. */
    private static final class Round {
        final Sinks.One<ObjectMetadata> answer = Sinks.one();

        @Nullable Round next;
    }

    /**
     * The answer to a request.
     *
     * @param strict whether the request must be sent after this call
     * @param request sends one
     */
    Mono<ObjectMetadata> ask(ObjectId id, boolean strict, Supplier<Mono<ObjectMetadata>> request) {
        return Mono.defer(() -> {
            Round[] joined = new Round[1];
            Round[] started = new Round[1];
            rounds.compute(id, (key, current) -> {
                if (current == null) {
                    started[0] = new Round();
                    joined[0] = started[0];
                    return started[0];
                }
                if (!strict) {
                    joined[0] = current;
                } else {
                    if (current.next == null) {
                        current.next = new Round();
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

    /** Nobody joins a request that was sent before; who has joined still gets its answer. */
    void forget(ObjectId id) {
        rounds.remove(id);
    }

    /** The same of all these objects. */
    void forget(ObjectPrefix below) {
        rounds.keySet().removeIf(below::holds);
    }

    private void send(ObjectId id, Round round, Supplier<Mono<ObjectMetadata>> request) {
        request.get()
                .switchIfEmpty(Mono.error(() -> new BackendException(
                        BackendException.FailureKind.INVALID_RESPONSE,
                        "no answer to what has become of " + id.object())))
                .subscribe(
                        head -> {
                            goOn(id, round, request);
                            round.answer.tryEmitValue(head);
                        },
                        failure -> {
                            goOn(id, round, request);
                            round.answer.tryEmitError(failure);
                        });
    }

    private void goOn(ObjectId id, Round ended, Supplier<Mono<ObjectMetadata>> request) {
        Round[] next = new Round[1];
        rounds.compute(id, (key, current) -> {
            next[0] = ended.next;
            return current == ended ? ended.next : current;
        });
        if (next[0] != null) {
            send(id, next[0], request);
        }
    }
}
