package io.millrace.gateway.control;

import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.freshness.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the next GET of an object would do, and why.
 *
 * @param backend that would be asked
 * @param freshness the rules of its bucket
 * @param next {@code hit}, {@code stale}, {@code partial}, {@code revalidate}, {@code miss}, {@code missing} or {@code bypass}
 * @param sentence the same in words
 * @param known what the cache knows of the object; none if nothing
 * @param missingSeconds for how long the key is still taken to be missing; none if it is not
 */
record Explanation(
        String bucket,
        String key,
        String backend,
        BucketEntry.Freshness freshness,
        String next,
        String sentence,
        Optional<Known> known,
        OptionalLong missingSeconds) {
    /**
     * What is known of an object.
     *
     * @param eTag of the version; none if the backend has none
     * @param asked when the backend was asked
     * @param freshSeconds until it is asked again, negative if that should have been; none if never
     * @param doubtful whether it must be asked for before it is used
     * @param blocks of the version
     */
    record Known(
            Optional<String> eTag,
            long size,
            Instant asked,
            OptionalLong freshSeconds,
            boolean doubtful,
            long blocks,
            long cachedBlocks,
            long cachedBytes) {
        static Known of(Standing standing, ObjectMetadata head) {
            return new Known(
                    head.head().eTag().map(Object::toString),
                    head.size(),
                    Instant.ofEpochMilli(head.askedAt()),
                    seconds(standing.freshMillis()),
                    head.doubtful(),
                    head.blocks(),
                    standing.cachedBlocks(),
                    standing.cachedBytes());
        }
    }

    static Explanation of(BucketView bucket, String key, Standing standing, String sentence) {
        return new Explanation(
                bucket.name().value(),
                key,
                bucket.backendName(),
                BucketEntry.Freshness.of(bucket.freshness()),
                standing.next().name().toLowerCase(Locale.ROOT),
                sentence,
                standing.head().map(head -> Known.of(standing, head)),
                seconds(standing.missingMillis()));
    }

    private static OptionalLong seconds(OptionalLong millis) {
        return millis.isPresent()
                ? OptionalLong.of(
                        Math.floorDiv(millis.getAsLong(), Duration.ofSeconds(1).toMillis()))
                : OptionalLong.empty();
    }
}
