package io.millrace.backend.spi;

import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * A store of objects: an S3 server or a file system. Retries, limits and metrics are decorators around it. Safe for use
 * by any number of threads.
 *
 * @see BackendProvider
 */
public interface Backend
        extends ObjectReader,
                ObjectLister,
                ObjectWriter,
                MultipartUploads,
                VersionLister,
                BucketManager,
                RequestForwarder {
    /** Returns what this backend can do beyond reading, and its properties; never changes. */
    Set<Capability> capabilities();

    /** Closes connections and stops threads. Reads in progress fail. */
    Mono<Void> close();
}
