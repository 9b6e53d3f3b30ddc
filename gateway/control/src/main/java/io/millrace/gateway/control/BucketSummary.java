package io.millrace.gateway.control;

import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.read.DerivedObjectFinder;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A bucket as clients may see it, without its name and prefix at the backend.
 *
 * @param backend name of its backend in the settings; of a derived bucket that of the bucket that it is derived from
 * @param derivedFrom the bucket that it is derived from
 * @param write {@code fill} or {@code invalidate}
 * @param rights the rights that the caller has on at least some of its keys
 */
record BucketSummary(
        String name,
        String backend,
        Optional<String> derivedFrom,
        Freshness freshness,
        String write,
        List<String> rights) {
    /**
     * The freshness rules of a bucket.
     *
     * @param mode {@code immutable}, {@code ttl} or {@code strict}
     * @param ttlSeconds empty in another mode than {@code ttl}, as the next
     */
    record Freshness(
            String mode,
            OptionalLong ttlSeconds,
            OptionalLong negativeTtlSeconds,
            long listTtlSeconds,
            long staleWhileRevalidateSeconds,
            long staleIfErrorSeconds) {
        static Freshness of(FreshnessSettings settings) {
            return new Freshness(
                    settings.mode().name().toLowerCase(Locale.ROOT),
                    ofTtl(settings, settings.ttl()),
                    ofTtl(settings, settings.negativeTtl()),
                    settings.listTtl().toSeconds(),
                    settings.staleWhileRevalidate().toSeconds(),
                    settings.staleIfError().toSeconds());
        }

        private static OptionalLong ofTtl(FreshnessSettings settings, Duration time) {
            return settings.mode() == FreshnessSettings.Mode.TTL
                    ? OptionalLong.of(time.toSeconds())
                    : OptionalLong.empty();
        }
    }

    static BucketSummary of(BucketView bucket, List<String> rights) {
        BucketView ruled = DerivedObjectFinder.ruled(bucket);
        return new BucketSummary(
                bucket.name().value(),
                ruled.backendName(),
                bucket.derived().map(derived -> derived.from().value()),
                Freshness.of(ruled.freshness()),
                bucket.settings().write().name().toLowerCase(Locale.ROOT),
                rights);
    }
}
