package io.millrace.gateway.jobs;

import io.millrace.cache.PinPredicate;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Predicate;

/** The set of objects that jobs pin in the cache, each until a time. Immutable and thread-safe. */
final class PinSet implements PinPredicate {
    private final List<Pin> pins;
    private final InstantSource clock;

    PinSet(List<Pin> pins, InstantSource clock) {
        this.pins = List.copyOf(pins);
        this.clock = clock;
    }

    /**
     * The pin of one job.
     *
     * @param names matches keys as clients name them
     */
    record Pin(BucketView bucket, Predicate<String> names, Instant until) {
        private boolean matches(ObjectId id) {
            String key = id.object().key().value();
            return id.backend().equals(bucket.backendName())
                    && id.object().bucket().equals(bucket.backendBucket())
                    && key.startsWith(bucket.prefix())
                    && names.test(bucket.toClient(key));
        }
    }

    @Override
    public boolean isEmpty() {
        return pins.isEmpty();
    }

    @Override
    public boolean isPinned(ObjectId id) {
        Instant now = clock.instant();
        return pins.stream().anyMatch(pin -> now.isBefore(pin.until()) && pin.matches(id));
    }
}
