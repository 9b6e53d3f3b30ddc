package io.millrace.gateway.agreement;

import java.util.List;
import reactor.core.publisher.Mono;

/**
 * A small map on which all members of a cluster agree: durable, linearizable, and there as long as a majority of its
 * voters is. It is for state that changes some times a second at most, and that no request of a client waits for: see
 * {@link AgreedLimits}. Thread-safe. Results come on threads of the store.
 */
interface AgreedStore extends AutoCloseable {
    /**
     * Makes all changes or none, once for each subscriber; a cancel does not stop it. Emits the revision of what it
     * has changed, and is empty if a compare does not hold.
     *
     * <p>Fails with an {@link UnknownOutcomeException} if the changes may have been made, or may yet be: read what is
     * there then. Any other {@link AgreedStoreException} says that they are not made.
     *
     * @param compares what must hold, at most {@link AgreedLimits#MOST_PARTS} with the changes
     * @param changes at least one, of different keys
     */
    Mono<Long> transact(List<RevisionCompare> compares, List<Change> changes);

    /**
     * Reads the entries whose keys begin with {@code prefix}, in the order of keys, for each subscriber. They have
     * every change that was complete before. Fails with an {@link AgreedStoreException} if no majority answers.
     */
    Mono<List<AgreedEntry>> range(String prefix);

    /** Takes no more calls, and waits for the end of those that run, for some seconds. */
    @Override
    void close();
}
