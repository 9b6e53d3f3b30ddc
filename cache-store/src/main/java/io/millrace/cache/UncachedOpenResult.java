package io.millrace.cache;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.cache.fill.OpeningFill;
import io.millrace.cache.metadata.ObjectMetadata;
import java.util.Optional;

/**
 * The result of requesting an uncached object from its backend: being cached now, uncacheable, or to be requested
 * again.
 */
public sealed interface UncachedOpenResult {
    /**
     * The metadata is published and the requested bytes are being filled.
     *
     * @param isLeader whether this caller's request was the one that went to the backend
     * @param opening the fill of that request, for the caller that sent it to read from
     */
    record Cached(ObjectMetadata metadata, boolean isLeader, Optional<OpeningFill> opening)
            implements UncachedOpenResult {}

    /** The object cannot be cached, because it has no strong validator or is too large. The caller owns the content. */
    record Uncacheable(ObjectContent content) implements UncachedOpenResult {}

    /** Another caller's request found that the object cannot be cached, so this caller must send its own. */
    record NotShared() implements UncachedOpenResult {}
}
