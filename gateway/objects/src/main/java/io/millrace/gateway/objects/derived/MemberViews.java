package io.millrace.gateway.objects.derived;

import io.millrace.gateway.objects.bucket.BucketSavingsRegistry;
import io.millrace.gateway.objects.bucket.BucketSettings;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.DerivedSettings;
import io.millrace.gateway.objects.read.CurrentObjectFinder;

/**
 * Creates views of buckets whose objects are the members of the archives there, for requests that ask for those. Such a
 * view is that of a derived bucket with the keys of its source. Thread-safe.
 */
public final class MemberViews {
    private final CurrentObjectFinder objects;
    private final ArchiveIndexes indexes;

    /** Of all buckets together: a view lives as long as a request. */
    private final MemberDecoders decoders = new MemberDecoders(MemberDecoders.threads());

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
        return new BucketView(
                bucket.name(),
                settings,
                new MemberBackend(settings.backend(), all, "", bucket, objects, indexes, decoders),
                savings.of(settings.backend(), bucket.name()));
    }
}
