package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.WriteFence;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import java.util.Optional;

/**
 * The invalidation of what reads remember beside the metadata of objects: absent keys, existing buckets and pages of
 * listings. Thread-safe.
 */
public final class CacheInvalidation {
    private final Optional<WriteFence> writeFence;
    private final NegativeCache negativeCache;
    private final MissingBucketDetector missingBuckets;
    private final ListCache lists;

    CacheInvalidation(
            Optional<WriteFence> writeFence,
            NegativeCache negativeCache,
            MissingBucketDetector missingBuckets,
            ListCache lists) {
        this.writeFence = writeFence;
        this.negativeCache = negativeCache;
        this.missingBuckets = missingBuckets;
        this.lists = lists;
    }

    /**
     * Removes remembered absence of an object and the listings that may show it; called after a write.
     *
     * @param acknowledged whether the backend reported the outcome of the write
     */
    public void afterWrite(ObjectId id, boolean acknowledged) {
        negativeCache.invalidate(id);
        lists.onWrite(id.backend(), id.object().bucket(), id.object().key(), acknowledged);
    }

    /** Removes what is remembered of a bucket itself; called after it was created or deleted. */
    public void afterBucketWrite(BucketView bucket) {
        afterBucketWrite(bucket.backendName(), bucket.backendBucket());
    }

    /** Removes what is remembered of a bucket itself, by the backend's names. */
    public void afterBucketWrite(String backend, BucketName bucket) {
        missingBuckets.forget(backend, bucket);
        lists.onWrite(backend, bucket);
    }

    /** Removes what is remembered below a prefix; called after the prefix was invalidated. */
    public void afterPrefixInvalidation(ObjectPrefix below) {
        negativeCache.invalidate(below);
        missingBuckets.forget(below.backend(), below.bucket());
        lists.onWrite(below.backend(), below.bucket());
    }

    /** Removes all that is remembered; called after all objects were invalidated. */
    public void afterInvalidationOfAll() {
        negativeCache.invalidateAll();
        missingBuckets.forgetAll();
        lists.invalidateAll();
    }

    /**
     * Invalidates the cached metadata of listed objects that differs from the listing, and their remembered absence.
     */
    void afterListing(BucketView bucket, ListPage page) {
        if (writeFence.isEmpty() || bucket.freshness().mode() == FreshnessSettings.Mode.IMMUTABLE) {
            return;
        }
        for (ListPage.ListedObject entry : page.objects()) {
            ObjectId id = ObjectId.current(bucket.backendName(), new ObjectRef(bucket.backendBucket(), entry.key()));
            negativeCache.invalidate(id);
            writeFence.get().observe(id, entry.eTag(), entry.size());
        }
    }
}
