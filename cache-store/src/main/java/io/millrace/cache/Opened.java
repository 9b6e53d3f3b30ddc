package io.millrace.cache;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.cache.metadata.ObjectMetadata;

/** What came of asking a backend for an object that was not cached. */
public sealed interface Opened {
    /**
     * It is known now, and what was asked for is on its way into the cache.
     *
     * @param led whether this caller's request was the one that went to the backend
     */
    record Known(ObjectMetadata head, boolean led) implements Opened {}

    /** It cannot be cached: its version cannot be pinned. The content is the caller's. */
    record Passed(ObjectContent content) implements Opened {}

    /** Somebody else's request showed that it cannot be cached: this caller has to ask for itself. */
    record NotShared() implements Opened {}
}
