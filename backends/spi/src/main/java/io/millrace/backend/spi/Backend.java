package io.millrace.backend.spi;

import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * Where objects live. Retries, limits and metrics are decorators around it. Safe for use by any number of threads.
 *
 * @see BackendProvider
 */
public interface Backend
        extends ObjectReader, ObjectLister, ObjectWriter, MultipartUploads, VersionLister, BucketWriter, Forwarder {
    /** What it can do beyond reading and listing; never changes. */
    Set<Capability> capabilities();

    /** Gives up connections and threads. Reads under way fail. */
    Mono<Void> close();
}
