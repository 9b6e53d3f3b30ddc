package io.millrace.gateway.control;

import io.millrace.backend.spi.BucketName;
import io.millrace.gateway.freshness.Residents.Residency;

/**
 * How much is cached.
 *
 * @param objects of which something is known
 * @param bytes of theirs
 * @param cachedBytes bytes of theirs that are on a disk
 */
record ResidencyView(String bucket, String prefix, long objects, long bytes, long cachedBytes) {
    static ResidencyView of(BucketName bucket, String prefix, Residency found) {
        return new ResidencyView(bucket.value(), prefix, found.objects(), found.bytes(), found.cached());
    }
}
