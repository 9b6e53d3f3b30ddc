package io.millrace.gateway.objects.read;

import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import java.util.Locale;

/**
 * Formats the one-line explanation of a read: the rule, the decision, the age of the metadata and the source of the
 * bytes.
 */
final class ReadExplanationFormatter {
    private ReadExplanationFormatter() {}

    /** Returns the explanation of a bypass. */
    static String bypass(BucketView bucket) {
        return text(bucket, "bypass", "", "backend");
    }

    /**
     * Returns the explanation of a read with cached metadata; must be called before the bytes are read.
     *
     * @param now milliseconds since 1970
     */
    static String of(BucketView bucket, ReadRequest request, CurrentObject.Cached cached, long now) {
        BlockAvailability presence =
                cached.head().size() == 0 ? BlockAvailability.AVAILABLE : cached.availability(wanted(request, cached));
        CacheStatus status = cached.status();
        long age = Math.max(0, now - cached.metadata().fetchedAt()) / 1000;
        return text(bucket, decision(status, presence), "; age=" + age, from(cached, presence));
    }

    private static String decision(CacheStatus status, BlockAvailability presence) {
        return switch (status.forwarded()) {
            case NONE ->
                status.shownAge().isPresent() ? "stale" : presence == BlockAvailability.AVAILABLE ? "hit" : "partial";
            case STALE -> "revalidated";
            case MISS -> status.collapsed() ? "joined" : "miss";
            case BYPASS -> "bypass";
        };
    }

    private static String from(CurrentObject.Cached cached, BlockAvailability presence) {
        if (cached.isOpening()) {
            return "backend";
        }
        return switch (presence) {
            case AVAILABLE -> "cache";
            case IN_FLIGHT -> "fill";
            case ABSENT -> "backend";
        };
    }

    private static String text(BucketView bucket, String decision, String age, String from) {
        return "rule=%s; decision=%s%s; from=%s".formatted(rule(bucket.freshness()), decision, age, from);
    }

    private static String rule(FreshnessSettings rules) {
        String mode = rules.mode().name().toLowerCase(Locale.ROOT);
        return rules.mode() == Mode.TTL ? mode + ' ' + rules.ttl().toSeconds() + 's' : mode;
    }

    private static ByteRange wanted(ReadRequest request, CurrentObject.Cached cached) {
        return cached.part()
                .flatMap(ObjectPart::range)
                .orElseGet(() ->
                        TrimmedContent.range(request.selection(), cached.head().size()));
    }
}
