package io.millrace.cache;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.cache.metadata.ObjectMetadata;

/** What came of asking a backend for an object that was not cached. */
public sealed interface OpenResult {
    /**
     * It is known now, and what was asked for is on its way into the cache.
     *
     * @param isLeader whether this caller's request was the one that went to the backend
     */
    record Cached(ObjectMetadata metadata, boolean isLeader) implements OpenResult {}

    /** It cannot be cached: its version cannot be pinned. The content is the caller's. */
    record Uncacheable(ObjectContent content) implements OpenResult {}

    /** Somebody else's request showed that it cannot be cached: this caller has to ask for itself. */
    record NotShared() implements OpenResult {}
}
