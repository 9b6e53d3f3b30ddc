package io.millrace.gateway.objects.write;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.gateway.objects.bucket.BucketView;

/**
 * The source object of a copy, and its bucket.
 *
 * @param what the object, its version and its preconditions, by the names of the backend
 */
public record CopyOrigin(BucketView bucket, CopySource what) {
    /** Returns whether the backend of {@code target} can copy it without sending its bytes through the gateway. */
    public boolean isInside(BucketView target) {
        return bucket.backendName().equals(target.backendName())
                && target.backend().capabilities().contains(Capability.COPY);
    }
}
