package io.millrace.gateway.objects.write;

import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Handles events by which backends report that objects were changed: invalidates their metadata. An event only
 * invalidates its object and carries no metadata, so a late or repeated event does no harm, and an outdated one costs
 * nothing. Thread-safe.
 */
public final class ObjectEventHandler {
    private final FencedWrites writes;
    private final EventSequencerTracker sequencers = new EventSequencerTracker();

    public ObjectEventHandler(FencedWrites writes) {
        this.writes = writes;
    }

    /**
     * Processes an event. A read after its completion gets nothing that was requested before.
     *
     * @param bucket any bucket that shows the object
     * @param versionId the version that the event is about
     * @param order empty if the event has no sequencer
     * @return whether the event was new
     */
    public Mono<Boolean> handle(
            BucketView bucket, ObjectRef object, Optional<String> versionId, Optional<EventSequencerValue> order) {
        // Ordered by version, because a late event of one version is not outdated by events of another.
        ObjectId id = new ObjectId(bucket.backendName(), object, versionId);
        return Mono.defer(() -> {
            if (order.isPresent() && !sequencers.isNew(id, order.get())) {
                return Mono.just(false);
            }
            // Remembered only after success, so that the repetition of a failed event is processed.
            return writes.invalidate(bucket, object, versionId)
                    .doOnSuccess(done -> order.ifPresent(place -> sequencers.processed(id, place)))
                    .thenReturn(true);
        });
    }
}
