package io.millrace.gateway.objects.read;

import io.millrace.gateway.objects.bucket.BucketView;

/**
 * The permission to use what is remembered of a bucket without asking its backend, as far as other gateways may
 * change it. Thread-safe.
 */
public interface CacheLease {
    /** The lease of a gateway that has no others beside it. */
    CacheLease ALWAYS = bucket -> true;

    /**
     * Returns whether cached metadata and listings of the bucket may be used by a read that has already arrived;
     * without it the read must be revalidated.
     */
    boolean isHeld(BucketView bucket);
}
