package io.millrace.gateway.app;

import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.cluster.BackendBucket;
import io.millrace.gateway.cluster.ClusterMember;
import io.millrace.gateway.control.SharedCacheMembers;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.Coherence;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * The other members of this gateway's cluster, while objects have homes.
 *
 * @param shared returns whether they have
 * @param coherence the promise of each bucket: without one only {@code strict} buckets are shared
 */
record ClusterCacheMembers(
        ClusterMember member, String self, BooleanSupplier shared, Function<BackendBucket, Coherence> coherence)
        implements SharedCacheMembers {
    @Override
    public List<String> others() {
        return shared.getAsBoolean() ? member.others() : List.of();
    }

    @Override
    public Optional<String> home(BucketView bucket, ObjectRef object) {
        return shared.getAsBoolean() && isShared(bucket) && bucket.mayCache(object)
                ? Optional.of(member.home(bucket.backendName(), object))
                : Optional.empty();
    }

    private boolean isShared(BucketView bucket) {
        BackendBucket place =
                new BackendBucket(bucket.backendName(), bucket.backendBucket().value());
        return bucket.freshness().mode() == Mode.STRICT || coherence.apply(place) != Coherence.NONE;
    }

    @Override
    public Mono<byte[]> call(String other, byte[] call) {
        return member.call(other, call);
    }
}
