package io.millrace.gateway.objects.write;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import java.io.IOException;
import java.util.Collection;
import reactor.core.publisher.Mono;

/**
 * Replicates writes and invalidations to the caches of other gateways, which forget what they remember of it. Each
 * method is called when this gateway's own cache has forgotten it; whoever wrote gets the response when its result
 * completes. Thread-safe.
 */
public interface WriteReplication {
    /** The replication of a gateway that has no others beside it: completes at once. */
    WriteReplication NONE = new WriteReplication() {
        @Override
        public Mono<Void> beginning(String backend, BucketName bucket) {
            return Mono.empty();
        }

        @Override
        public Mono<Void> written(Collection<ObjectId> ids, boolean acknowledged) {
            return Mono.empty();
        }

        @Override
        public Mono<Void> invalidated(ObjectPrefix below) {
            return Mono.empty();
        }

        @Override
        public Mono<Void> bucketChanged(String backend, BucketName bucket) {
            return Mono.empty();
        }
    };

    /**
     * Completes when a write in a bucket may be sent, so that the others learn of it even if this process is killed
     * then. Fails if the write must not be sent: with an {@link IOException} if that could not be recorded.
     */
    Mono<Void> beginning(String backend, BucketName bucket);

    /**
     * Replicates the end of a write. Does not fail if {@link #beginning} has completed for the bucket; otherwise, as
     * after an invalidation, it fails with an {@link IOException} if it could not be recorded.
     *
     * @param ids the objects written, at least one, of one bucket
     * @param acknowledged whether the backend told the outcome; otherwise the write may still take effect for some
     *     minutes
     */
    Mono<Void> written(Collection<ObjectId> ids, boolean acknowledged);

    /** Replicates the invalidation of all objects below a prefix; may fail as {@link #written}. */
    Mono<Void> invalidated(ObjectPrefix below);

    /** Replicates that a bucket was created or deleted; may fail as {@link #written}. */
    Mono<Void> bucketChanged(String backend, BucketName bucket);
}
