package io.millrace.gateway.cluster;

import io.millrace.backend.spi.TierRequest;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.WriteFence;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.OwnershipHash;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.Coherence;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The sources of a member's reads: of an object whose home is another member that one, and the backend of all others,
 * after whoever may have bytes of it.
 *
 * <p>A home may not have heard of a change that is on its way to it, and its old metadata must not be remembered here
 * after this member has heard. So the home of an object that was changed within the longest lease and some seconds must
 * ask its backend: one that has not heard of an earlier change holds no lease any more, and revalidates anyway. Of what
 * a list has outdated here no home hears: one that has known the object for longer than that is asked to revalidate it.
 */
final class PlacedObjectSourceFactory implements ObjectSourceFactory {
    /** The time between the end of a write here and its announcement, beside that for its record: two statements. */
    private static final Duration UNANNOUNCED = Duration.ofSeconds(1);

    private final BooleanSupplier shared;
    private final Supplier<RendezvousPlacement> placement;
    private final Function<BackendBucket, Coherence> coherence;
    private final PeerReads reads;
    private final LastWriters writers;
    private final WriteFence fence;
    private final Duration recent;

    /**
     * @param shared returns whether objects have homes
     * @param placement returns the order of the members
     * @param coherence the promise of each bucket
     * @param writers knows who may have kept what it wrote
     * @param fence knows what has changed here
     */
    PlacedObjectSourceFactory(
            BooleanSupplier shared,
            Supplier<RendezvousPlacement> placement,
            Function<BackendBucket, Coherence> coherence,
            PeerReads reads,
            LastWriters writers,
            WriteFence fence,
            LeaseTerms terms) {
        this.shared = shared;
        this.placement = placement;
        this.coherence = coherence;
        this.reads = reads;
        this.writers = writers;
        this.fence = fence;
        this.recent = recent(terms);
    }

    /**
     * Returns after what time whoever has not heard of a change holds no lease: nobody who has acknowledged nothing for
     * so long as a write waits for it gets a further one.
     */
    static Duration recent(LeaseTerms terms) {
        return terms.expiryAtStart()
                .plus(ReplicationRules.LONGEST_WAIT)
                .plus(MissedBuckets.LONGEST_RECORD)
                .plus(UNANNOUNCED);
    }

    @Override
    public ObjectSource create(BucketView bucket, ObjectId id, TierRequest tier) {
        List<String> homes = mayAskHomes(id, tier) ? homes(id) : List.of();
        return homes.isEmpty()
                ? atHome(bucket, id, tier)
                : new PeerObjectSource(
                        bucket.name(),
                        id,
                        tier,
                        homes,
                        BACKENDS.create(bucket, id, tier),
                        reads,
                        this::isChanged,
                        known -> isOutdated(bucket, id, known));
    }

    /**
     * Returns the source of an object for its home, whoever asks: no other home is asked, and another member only for
     * what it has. So a read that was relayed is not relayed again.
     */
    ObjectSource atHome(BucketView bucket, ObjectId id, TierRequest tier) {
        ObjectSource backend = BACKENDS.create(bucket, id, tier);
        return holder(id)
                .<ObjectSource>map(member -> new HeldObjectSource(
                        bucket.name(), id, tier, member, backend, reads, () -> writers.forget(id, member)))
                .orElse(backend);
    }

    /** Of a bucket whose writes nobody announces a home can say only what its backend says just now. */
    private boolean mayAskHomes(ObjectId id, TierRequest tier) {
        return shared.getAsBoolean()
                && (tier.revalidate() || coherence.apply(BackendBucket.of(id)) != Coherence.NONE)
                && reads.isShared(id);
    }

    private boolean isChanged(ObjectId id) {
        return fence.isChangedWithin(id, recent);
    }

    /**
     * Returns whether an object was written or outdated here since its home knows it: no home hears of a list. What is
     * immutable is not looked for again, and a list outdates none of it.
     */
    private boolean isOutdated(BucketView bucket, ObjectId id, Duration known) {
        return bucket.freshness().mode() == FreshnessSettings.Mode.TTL && fence.isOutdatedWithin(id, known);
    }

    private List<String> homes(ObjectId id) {
        BackendBucket bucket = BackendBucket.of(id);
        return before(id)
                .filter(member -> reads.isAskable(member, bucket))
                .limit(2)
                .toList();
    }

    /** Returns who may have bytes that the home lacks: a home before this one that stops, or who has written them. */
    private Optional<String> holder(ObjectId id) {
        return shared.getAsBoolean()
                ? before(id)
                        .filter(reads::isStopping)
                        .findFirst()
                        .or(() -> writers.of(id).filter(reads::isHeard))
                : Optional.empty();
    }

    private Stream<String> before(ObjectId id) {
        return placement.get().before(OwnershipHash.of(id.backend(), id.object())).stream();
    }
}
