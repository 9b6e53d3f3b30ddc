package io.millrace.gateway.control.buckets;

import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import java.util.List;
import java.util.Locale;

/**
 * A bucket as clients may see it, without its name and prefix at the backend.
 *
 * @param backend name of its backend in the settings
 * @param write {@code fill} or {@code invalidate}
 * @param rights the rights that the caller has on at least some of its keys
 */
public record BucketSummary(String name, String backend, Freshness freshness, String write, List<String> rights) {
    /**
     * The freshness rules of a bucket.
     *
     * @param mode {@code immutable}, {@code ttl} or {@code strict}
     */
    public record Freshness(
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

    static BucketSummary of(BucketView bucket, List<String> rights) {
        return new BucketSummary(
                bucket.name().value(),
                bucket.backendName(),
                Freshness.of(bucket.freshness()),
                bucket.settings().write().name().toLowerCase(Locale.ROOT),
                rights);
    }
}
