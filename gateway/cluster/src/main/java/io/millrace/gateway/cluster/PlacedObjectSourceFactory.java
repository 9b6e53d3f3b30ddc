package io.millrace.gateway.cluster;

import io.millrace.backend.spi.TierRequest;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.WriteFence;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.OwnershipHash;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.Coherence;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The sources of a member's reads: of an object whose home is another member that one, and the backend of all others.
 *
 * <p>A home may not have heard of a change that is on its way to it, and its old metadata must not be remembered here
 * after this member has heard. So an object that was changed within the longest lease and some seconds is fetched from
 * the backend: a home that has not heard of an earlier change holds no lease any more, and revalidates.
 */
final class PlacedObjectSourceFactory implements ObjectSourceFactory {
    /** The time between the end of a write here and its announcement, beside that for its record: two statements. */
    private static final Duration UNANNOUNCED = Duration.ofSeconds(1);

    private final BooleanSupplier shared;
    private final Supplier<RendezvousPlacement> placement;
    private final Function<BackendBucket, Coherence> coherence;
    private final PeerReads reads;
    private final WriteFence fence;
    private final Duration recent;

    /**
     * @param shared returns whether objects have homes
     * @param placement returns the order of the members
     * @param coherence the promise of each bucket
     * @param fence knows what has changed here
     */
    PlacedObjectSourceFactory(
            BooleanSupplier shared,
            Supplier<RendezvousPlacement> placement,
            Function<BackendBucket, Coherence> coherence,
            PeerReads reads,
            WriteFence fence,
            LeaseTerms terms) {
        this.shared = shared;
        this.placement = placement;
        this.coherence = coherence;
        this.reads = reads;
        this.fence = fence;
        // Whoever has acknowledged nothing for so long as a write waits for it gets no further lease.
        this.recent = terms.expiryAtStart()
                .plus(ReplicationRules.LONGEST_WAIT)
                .plus(MissedBuckets.LONGEST_RECORD)
                .plus(UNANNOUNCED);
    }

    @Override
    public ObjectSource create(BucketView bucket, ObjectId id, TierRequest tier) {
        ObjectSource backend = BACKENDS.create(bucket, id, tier);
        List<String> homes = mayAskOthers(id, tier) ? homes(id) : List.of();
        return homes.isEmpty()
                ? backend
                : new PeerObjectSource(bucket.name(), id, tier, homes, backend, reads, this::isChanged);
    }

    /** Of a bucket whose writes nobody announces a home can say only what its backend says just now. */
    private boolean mayAskOthers(ObjectId id, TierRequest tier) {
        return shared.getAsBoolean()
                && (tier.revalidate() || (coherence.apply(BackendBucket.of(id)) != Coherence.NONE && !isChanged(id)))
                && reads.isShared(id);
    }

    private boolean isChanged(ObjectId id) {
        return fence.isChangedWithin(id, recent);
    }

    private List<String> homes(ObjectId id) {
        BackendBucket bucket = BackendBucket.of(id);
        return placement.get().before(OwnershipHash.of(id.backend(), id.object())).stream()
                .filter(member -> reads.isAskable(member, bucket))
                .limit(2)
                .toList();
    }
}
