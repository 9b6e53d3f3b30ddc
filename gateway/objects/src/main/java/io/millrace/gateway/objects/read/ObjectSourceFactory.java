package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.TierRequest;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;

/**
 * Creates the {@link ObjectSource} from which reads and prefetches fetch an object: its bucket's backend, or another
 * gateway that has it. Thread-safe. What confirms a write, or compares cached blocks with a backend, asks the backend
 * whatever this says.
 */
@FunctionalInterface
public interface ObjectSourceFactory {
    /** Fetches each object from its bucket's backend. */
    ObjectSourceFactory BACKENDS = BackendObjectSource::new;

    /**
     * Returns the source of one object.
     *
     * @param tier the facts about the client's request that requests to the source carry
     */
    ObjectSource create(BucketView bucket, ObjectId id, TierRequest tier);

    /** Returns the source of one object for no client's request. */
    default ObjectSource create(BucketView bucket, ObjectId id) {
        return create(bucket, id, TierRequest.NONE);
    }
}
