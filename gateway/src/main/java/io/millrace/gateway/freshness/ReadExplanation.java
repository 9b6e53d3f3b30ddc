package io.millrace.gateway.freshness;

import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.cache.fill.Presence;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.FreshnessSettings;
import io.millrace.gateway.bucket.FreshnessSettings.Mode;
import java.util.Locale;

/** How an answer came about, in one line for whoever asks: by which rule, what was decided, how old what is known is, and where from. */
final class ReadExplanation {
    private ReadExplanation() {}

    /** Of what goes past the cache. */
    static String bypass(BucketView bucket) {
        return text(bucket, "bypass", "", "backend");
    }

    /**
     * Of what is known; to be asked before its bytes are.
     *
     * @param now milliseconds since 1970
     */
    static String of(BucketView bucket, ReadRequest request, Current.Known known, long now) {
        Presence presence = known.head().size() == 0 ? Presence.HERE : known.presence(wanted(request, known));
        CacheStatus status = known.status();
        long age = Math.max(0, now - known.head().askedAt()) / 1000;
        return text(bucket, decision(status, presence), "; age=" + age, from(status, presence));
    }

    private static String decision(CacheStatus status, Presence presence) {
        return switch (status.forwarded()) {
            case NONE -> status.age().isPresent() ? "stale" : presence == Presence.HERE ? "hit" : "partial";
            case STALE -> "revalidated";
            case MISS -> status.collapsed() ? "joined" : "miss";
        };
    }

    private static String from(CacheStatus status, Presence presence) {
        boolean own = status.forwarded() == CacheStatus.Forward.MISS && !status.collapsed();
        return switch (presence) {
            case HERE -> "cache";
            case COMING -> own ? "backend" : "fill";
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

    private static ByteRange wanted(ReadRequest request, Current.Known known) {
        return known.part()
                .flatMap(ObjectPart::range)
                .orElseGet(
                        () -> Narrowed.range(request.selection(), known.head().size()));
    }
}
