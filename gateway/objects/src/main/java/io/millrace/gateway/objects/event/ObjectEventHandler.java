package io.millrace.gateway.objects.event;

import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.FencedWrites;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * What backends tell of their objects. An event makes Millrace ask again, and says nothing itself: so one that comes late or twice
 * can do no harm, and one that is known to be behind another costs nothing. Safe for use by any number of threads.
 */
public final class ObjectEventHandler {
    private final FencedWrites writes;
    private final EventSequenceTracker sequencers = new EventSequenceTracker();

    public ObjectEventHandler(FencedWrites writes) {
        this.writes = writes;
    }

    /**
     * Heeds one: whoever reads behind the end of this is told nothing that was asked for before.
     *
     * @param bucket any that shows the object
     * @param versionId of the version that the event is about
     * @param order empty if the event has none
     * @return whether it was news
     */
    public Mono<Boolean> heed(
            BucketView bucket, ObjectRef object, Optional<String> versionId, Optional<EventSequence> order) {
        // By version: what is told late of one is no older than what was told of another.
        ObjectId id = new ObjectId(bucket.backendName(), object, versionId);
        return Mono.defer(() -> {
            if (order.isPresent() && !sequencers.isNews(id, order.get())) {
                return Mono.just(false);
            }
            // Remembered behind it: one that was not heeded must not make its repetition old.
            return writes.forget(bucket, object, versionId)
                    .doOnSuccess(done -> order.ifPresent(place -> sequencers.heeded(id, place)))
                    .thenReturn(true);
        });
    }
}
