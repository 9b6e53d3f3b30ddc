package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.testkit.Promise;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the decision of a read by mode, age and state of the metadata. */
class FreshnessDecisionTest {
    private static final long FETCHED = 1_000_000;
    private static final Duration TTL = Duration.ofSeconds(60);
    private static final Duration STALE = Duration.ofSeconds(30);

    @ParameterizedTest
    @EnumSource(Mode.class)
    void metadataOfAnEarlierStaleEpochIsRevalidatedInEachMode(Mode mode) {
        ObjectMetadata cached = cached(true, true);

        assertThat(decide(cached, mode, RequestCacheControl.NONE, 0))
                .isEqualTo(mode == Mode.STRICT ? FreshnessDecision.REVALIDATE_STRICTLY : FreshnessDecision.REVALIDATE);
        assertThat(decide(
                        cached,
                        mode,
                        RequestCacheControl.NONE,
                        TTL.plusSeconds(1).toMillis()))
                .as("within stale-while-revalidate")
                .isEqualTo(mode == Mode.STRICT ? FreshnessDecision.REVALIDATE_STRICTLY : FreshnessDecision.REVALIDATE);
        assertThat(FreshnessDecision.mayServeStaleOnError(cached, settings(mode), FETCHED))
                .as("while the backend fails")
                .isFalse();
    }

    @Promise("R5")
    @Test
    void currentMetadataIsServedByTheModeOfTheBucket() {
        ObjectMetadata cached = cached(true, false);

        assertThat(decide(cached, Mode.IMMUTABLE, RequestCacheControl.NONE, Long.MAX_VALUE / 2))
                .isEqualTo(FreshnessDecision.SERVE);
        assertThat(decide(cached, Mode.STRICT, RequestCacheControl.NONE, 0))
                .isEqualTo(FreshnessDecision.REVALIDATE_STRICTLY);
        assertThat(decide(cached, Mode.TTL, RequestCacheControl.NONE, 0)).isEqualTo(FreshnessDecision.SERVE);
        assertThat(decide(cached, Mode.TTL, RequestCacheControl.NONE, TTL.toMillis()))
                .isEqualTo(FreshnessDecision.SERVE_STALE_WHILE_REVALIDATING);
        assertThat(decide(
                        cached,
                        Mode.TTL,
                        RequestCacheControl.NONE,
                        TTL.plus(STALE).toMillis()))
                .isEqualTo(FreshnessDecision.REVALIDATE);
    }

    @Test
    void clockThatWasSetBackMakesMetadataStale() {
        assertThat(decide(cached(true, false), Mode.TTL, RequestCacheControl.NONE, -1))
                .isEqualTo(FreshnessDecision.REVALIDATE);
        assertThat(FreshnessDecision.mayServeStaleOnError(cached(true, false), settings(Mode.TTL), FETCHED - 1))
                .isFalse();
    }

    @Test
    void headRevalidatesMetadataOfARangeResponse() {
        assertThat(decide(cached(false, false), Mode.IMMUTABLE, RequestCacheControl.NONE, 0))
                .isEqualTo(FreshnessDecision.REVALIDATE);
    }

    @Test
    void maximumAgeOfARequestIsObeyedInEachMode() {
        RequestCacheControl aMinute = RequestCacheControl.parse(List.of("max-age=60"));

        assertThat(decide(cached(true, false), Mode.IMMUTABLE, aMinute, 59_999)).isEqualTo(FreshnessDecision.SERVE);
        assertThat(decide(cached(true, false), Mode.IMMUTABLE, aMinute, 60_000))
                .isEqualTo(FreshnessDecision.REVALIDATE);
        assertThat(decide(cached(true, false), Mode.IMMUTABLE, RequestCacheControl.parse(List.of("no-cache")), 0))
                .isEqualTo(FreshnessDecision.REVALIDATE_STRICTLY);
    }

    @Test
    void staleMetadataIsServedOnErrorWithinItsTime() {
        ObjectMetadata cached = cached(true, false);
        long end = FETCHED + TTL.plus(STALE).toMillis();

        assertThat(FreshnessDecision.mayServeStaleOnError(cached, settings(Mode.TTL), end - 1))
                .isTrue();
        assertThat(FreshnessDecision.mayServeStaleOnError(cached, settings(Mode.TTL), end))
                .isFalse();
        assertThat(FreshnessDecision.mayServeStaleOnError(cached, settings(Mode.STRICT), FETCHED))
                .isFalse();
        assertThat(FreshnessDecision.mayServeStaleOnError(cached, settings(Mode.IMMUTABLE), end))
                .isTrue();
    }

    @Test
    void objectWithoutMetadataIsFetched() {
        assertThat(FreshnessDecision.of(null, settings(Mode.TTL), false, RequestCacheControl.NONE, FETCHED))
                .isEqualTo(FreshnessDecision.FETCH);
    }

    private static FreshnessDecision decide(
            ObjectMetadata cached, Mode mode, RequestCacheControl client, long ageMillis) {
        return FreshnessDecision.of(cached, settings(mode), true, client, FETCHED + ageMillis);
    }

    private static FreshnessSettings settings(Mode mode) {
        Duration stale = mode == Mode.STRICT ? Duration.ZERO : STALE;
        return new FreshnessSettings(mode, TTL, Duration.ZERO, Duration.ZERO, stale, stale);
    }

    private static ObjectMetadata cached(boolean complete, boolean mustRevalidate) {
        Optional<ETag> tag = Optional.of(ETag.strong("v"));
        ObjectHead head = new ObjectHead(
                ObjectVersion.ofETag(tag, 10, Optional.empty()), tag, Optional.empty(), HeaderList.EMPTY);
        ObjectId id = ObjectId.current("b", new ObjectRef(new BucketName("bucket"), new ObjectKey("key")));
        return new ObjectMetadata(id, head, FETCHED, complete, mustRevalidate, Fingerprint.NONE, 1 << 20);
    }
}
