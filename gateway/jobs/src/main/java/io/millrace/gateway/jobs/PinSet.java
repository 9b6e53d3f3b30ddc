package io.millrace.gateway.jobs;

import io.millrace.cache.PinnedObjects;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Predicate;

/** What jobs keep in the cache, each for its time. Immutable, and safe for use by any number of threads. */
final class PinSet implements PinnedObjects {
    private final List<Keep> keeps;
    private final InstantSource clock;

    PinSet(List<Keep> keeps, InstantSource clock) {
        this.keeps = List.copyOf(keeps);
        this.clock = clock;
    }

    /**
     * What one job keeps.
     *
     * @param names keys as clients name them
     */
    record Keep(BucketView bucket, Predicate<String> names, Instant until) {
        private boolean has(ObjectId id) {
            String key = id.object().key().value();
            return id.backend().equals(bucket.backendName())
                    && id.object().bucket().equals(bucket.real())
                    && key.startsWith(bucket.prefix())
                    && names.test(bucket.outside(key));
        }
    }

    @Override
    public boolean isEmpty() {
        return keeps.isEmpty();
    }

    @Override
    public boolean isPinned(ObjectId id) {
        Instant now = clock.instant();
        return keeps.stream().anyMatch(keep -> now.isBefore(keep.until()) && keep.has(id));
    }
}
