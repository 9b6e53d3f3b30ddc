package io.millrace.gateway.control;

import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.FreshnessSettings;
import java.util.List;
import java.util.Locale;

/**
 * A bucket as its callers may know it: where it lives at the backend is the operator's.
 *
 * @param backend the name in the operator's file
 * @param write {@code fill} or {@code invalidate}
 * @param rights what the caller may do to some of its keys at least
 */
record BucketEntry(String name, String backend, Freshness freshness, String write, List<String> rights) {
    /**
     * When the backend is asked.
     *
     * @param mode {@code immutable}, {@code ttl} or {@code strict}
     */
    record Freshness(
            String mode,
            long ttlSeconds,
            long negativeTtlSeconds,
            long listTtlSeconds,
            long staleWhileRevalidateSeconds,
            long staleIfErrorSeconds) {
        static Freshness of(FreshnessSettings settings) {
            return new Freshness(
                    settings.mode().name().toLowerCase(Locale.ROOT),
                    settings.ttl().toSeconds(),
                    settings.negativeTtl().toSeconds(),
                    settings.listTtl().toSeconds(),
                    settings.staleWhileRevalidate().toSeconds(),
                    settings.staleIfError().toSeconds());
        }
    }

    static BucketEntry of(BucketView bucket, List<String> rights) {
        return new BucketEntry(
                bucket.name().value(),
                bucket.backendName(),
                Freshness.of(bucket.freshness()),
                bucket.write().name().toLowerCase(Locale.ROOT),
                rights);
    }
}
