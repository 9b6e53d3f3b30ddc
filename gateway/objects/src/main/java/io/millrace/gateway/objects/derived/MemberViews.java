package io.millrace.gateway.objects.derived;

import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

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
}
