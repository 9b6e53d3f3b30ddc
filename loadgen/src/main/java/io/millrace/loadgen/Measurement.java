package io.millrace.loadgen;

/**
 * Outcome of one operation.
 *
 * @param bytes bytes of bodies sent or received
 * @param firstByteAt {@link System#nanoTime()} of the first byte of the response's body, or of its headers without a
 *     body
 * @param endedAt {@link System#nanoTime()} of the end
 * @param cache the part that a cache had in the response
 * @param failure reason of a failure, in the same words for all of its kind; empty if the outcome is right
 */
record Measurement(
        OperationType type,
        String key,
        Outcome outcome,
        long bytes,
        long firstByteAt,
        long endedAt,
        CachePart cache,
        String failure) {
    /** The part of a cache in a response, by its Cache-Status. */
    enum CachePart {
        HIT,
        MISS,
        /** It passed the request on for another reason, or there is no cache. */
        OTHER;

        /** Returns the part that a Cache-Status tells of; a hit of any of several caches is one. */
        static CachePart of(String cacheStatus) {
            if (cacheStatus.contains("; hit")) {
                return HIT;
            }
            return cacheStatus.matches(".*; fwd=(uri-|vary-)?miss\\b.*") ? MISS : OTHER;
        }
    }

    /** Outcome of an operation. */
    enum Outcome {
        RIGHT,
        /** Answered with an error. */
        REFUSED,
        /** Not or not completely answered: the connection was refused, lost or stalled. */
        LOST,
        /** Complete, but with other bytes than the object's. */
        WRONG
    }
}
