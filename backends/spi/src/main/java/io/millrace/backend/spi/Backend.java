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

    /** Returns what operators can do about its failures: S3's words, unless it is of another kind. */
    default BackendRemedies remedies() {
        return BackendRemedies.S3;
    }

    /** Closes connections and stops threads. Reads in progress fail. */
    Mono<Void> close();
}
