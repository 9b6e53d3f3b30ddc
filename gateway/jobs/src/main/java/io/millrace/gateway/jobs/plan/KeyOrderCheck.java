package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.objects.bucket.BucketView;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a listing has its keys in ascending order of their UTF-8 bytes, each once. A job remembers its place as a
 * key, and a server that begins anew instead of continuing would keep it busy forever. Not thread-safe.
 */
final class KeyOrderCheck {
    private final BucketView bucket;
    private @Nullable String last;

    /** @param after the key that the listing begins after */
    KeyOrderCheck(BucketView bucket, Optional<String> after) {
        this.bucket = bucket;
        this.last = after.orElse(null);
    }

    /**
     * Checks the next key.
     *
     * @throws PlanException if it does not follow the one before
     */
    void check(ObjectKey key) {
        if (last != null && ObjectKey.UTF8_ORDER.compare(key.value(), last) <= 0) {
            throw new PlanException(
                    ("backend '%s' does not list bucket '%s' in the order of its keys, each once: '%s' came after '%s'."
                                    + " Select objects by a manifest or names instead")
                            .formatted(bucket.backendName(), bucket.name().value(), key.value(), last));
        }
        last = key.value();
    }
}
