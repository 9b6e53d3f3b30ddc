package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import reactor.core.publisher.Mono;

/**
 * Creates views of buckets whose objects are the members of the archives there, for requests that ask for those. Such a
 * view is that of a derived bucket with the keys of its source. Thread-safe.
 */
public final class MemberViews {
    private final CurrentObjectFinder objects;
    private final ArchiveIndexes indexes;

    /** By backend, so that one that hangs leaves the others theirs. There are few, and views live for a request. */
    private final ConcurrentMap<String, MemberDecoders> decoders = new ConcurrentHashMap<>();

    /** Counts nothing that anybody sees: reads at the backend are of archives, and counted in their bucket. */
    private final BucketSavingsRegistry savings = BucketSavingsRegistry.free();

    public MemberViews(CurrentObjectFinder objects, ArchiveIndexes indexes) {
        this.objects = objects;
        this.indexes = indexes;
    }

    /** Returns the view of the members of all archives in a bucket. One that is derived has no archives. */
    public BucketView of(BucketView bucket) {
        DerivedSettings all = DerivedSettings.ofAll(bucket.name());
        BucketSettings settings = BucketSettings.ofDerived(bucket.name(), all);
        MemberDecoders ofBackend = decoders.computeIfAbsent(bucket.backendName(), name -> new MemberDecoders());
        return new BucketView(
                bucket.name(),
                settings,
                new MemberBackend(settings.backend(), all, "", bucket, objects, indexes, ofBackend),
                savings.of(settings.backend(), bucket.name()));
    }

    /**
     * Returns the members of a sample of an archive, in the order in which they are there. Fails with NO_SUCH_KEY if
     * there is no such sample.
     *
     * @param members a view that {@link #of} has returned, in which they are read by their keys
     * @param sample the name of the sample: that of its members up to the first dot, without that
     */
    public static Mono<List<SampleMember>> sample(BucketView members, ObjectKey archive, String sample) {
        return ((MemberBackend) members.backend()).sample(archive, sample);
    }
}
