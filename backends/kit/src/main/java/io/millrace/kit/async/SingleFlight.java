package io.millrace.kit.async;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * Runs at most one request at a time for each key, whose result all concurrent callers share. A request continues if
 * its callers cancel, and ends for the next caller before its result is emitted: a caller that comes after a result
 * never gets it. Safe for use by any number of threads.
 *
 * @param <K> what is requested
 * @param <V> the result; a request that ends without one is an error to its callers
 */
public final class SingleFlight<K, V> {
    private final ConcurrentMap<K, Flight<V>> inFlight = new ConcurrentHashMap<>();

    /**
     * A shared result.
     *
     * @param isLeader whether this caller's request was the one that was sent
     */
    public record Joined<V>(V value, boolean isLeader) {}

    /** A running request, and the one that follows it. */
    private static final class Flight<V> {
        /** Of the caller that began it: of one that follows it may be another request for the same. */
        final Supplier<Mono<V>> request;

        final Sinks.One<V> result = Sinks.one();

        @Nullable Flight<V> next;

        Flight(Supplier<Mono<V>> request) {
            this.request = request;
        }
    }

    /** Returns the result of the running request for the key, or sends one. */
    public Mono<Joined<V>> join(K key, Supplier<Mono<V>> request) {
        return Mono.defer(() -> {
            Flight<V> mine = new Flight<>(request);
            Flight<V> running = inFlight.putIfAbsent(key, mine);
            if (running != null) {
                return running.result.asMono().map(value -> new Joined<>(value, false));
            }
            send(key, mine);
            return mine.result.asMono().map(value -> new Joined<>(value, true));
        });
    }

    /**
     * Returns what is known already, else the result of the running request for the key, or sends one. Looks again
     * before it is sent: another may have ended, and made its result known, since the first look.
     *
     * @param known returns null if nothing is known
     */
    public Mono<V> joinUnlessKnown(K key, Supplier<@Nullable V> known, Supplier<Mono<V>> request) {
        return knownOr(known, () -> join(key, () -> knownOr(known, request)).map(Joined::value));
    }

    private static <V> Mono<V> knownOr(Supplier<@Nullable V> known, Supplier<Mono<V>> request) {
        return Mono.defer(() -> {
            @Nullable V found = known.get();
            return found != null ? Mono.just(found) : request.get();
        });
    }

    /**
     * Returns the result of a request that is sent after this call. Callers share the one that follows the running
     * request, as the first of them makes it; it is sent when that has ended.
     */
    public Mono<V> joinNext(K key, Supplier<Mono<V>> request) {
        return Mono.defer(() -> {
            Flight<V> mine = new Flight<>(request);
            Flight<V> running = inFlight.compute(key, (same, current) -> {
                if (current == null) {
                    return mine;
                }
                if (current.next == null) {
                    current.next = mine;
                }
                return current;
            });
            if (running == mine) {
                send(key, mine);
                return mine.result.asMono();
            }
            Flight<V> next = running.next;
            return (next == null ? running : next).result.asMono();
        });
    }

    /** Lets no further caller join the running request for the key. Those that have joined get its result. */
    public void forget(K key) {
        inFlight.remove(key);
    }

    /** Lets no further caller join a running request for any of these keys. */
    public void forgetIf(Predicate<K> keys) {
        inFlight.keySet().removeIf(keys);
    }

    private void send(K key, Flight<V> flight) {
        Mono.defer(flight.request)
                .switchIfEmpty(Mono.error(() -> new IllegalStateException("a request for " + key + " has no result")))
                .subscribe(
                        value -> {
                            end(key, flight);
                            flight.result.tryEmitValue(value);
                        },
                        failure -> {
                            end(key, flight);
                            flight.result.tryEmitError(failure);
                        });
    }

    private void end(K key, Flight<V> ended) {
        inFlight.computeIfPresent(key, (same, current) -> current == ended ? ended.next : current);
        // Nobody can add one any more.
        Flight<V> next = ended.next;
        if (next != null) {
            send(key, next);
        }
    }
}
