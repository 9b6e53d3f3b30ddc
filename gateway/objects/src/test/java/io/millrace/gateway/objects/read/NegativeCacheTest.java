package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Promise;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class NegativeCacheTest {
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final ObjectId ID = ObjectId.current("test", new ObjectRef(BUCKET, new ObjectKey("a/key")));
    private static final ObjectPrefix BELOW = new ObjectPrefix("test", BUCKET, "a/");

    private static final RequestCacheControl NONE = RequestCacheControl.NONE;

    private final AtomicLong now = new AtomicLong(1_000_000);
    private final NegativeCache missing = new NegativeCache(() -> Instant.ofEpochMilli(now.get()));

    @Test
    void remembersValidAbsenceUntilInvalidated() {
        missing.remember(ID, noSuchKey(), () -> false);
        assertThat(left()).isEmpty();
        missing.remember(ID, noSuchKey(), () -> true);
        assertThat(left()).isPresent();

        missing.invalidate(BELOW);

        assertThat(left()).isEmpty();
    }

    @Promise("I1")
    @Test
    void laterPrefixInvalidationDropsTheAbsence() throws InterruptedException {
        Thread invalidation = new Thread(() -> missing.invalidate(BELOW));

        missing.remember(ID, noSuchKey(), () -> {
            invalidation.start();
            while (invalidation.getState() != Thread.State.BLOCKED
                    && invalidation.getState() != Thread.State.TERMINATED) {
                Thread.onSpinWait();
            }
            return true;
        });
        invalidation.join();

        assertThat(left()).isEmpty();
    }

    @Test
    void absenceIsRememberedForItsTime() {
        missing.remember(ID, noSuchKey(), () -> true);
        long whole = left().orElseThrow();
        assertThat(whole).isEqualTo(FreshnessLifetime.millis(Duration.ofMinutes(1), ID.hashCode()));

        now.addAndGet(whole - 1);
        assertThat(left()).hasValue(1);
        now.addAndGet(1);
        assertThat(left()).isEmpty();
        now.set(999_999);
        assertThat(left()).as("the clock was set back").isEmpty();
    }

    @Test
    void clientMayBoundTheAge() {
        RequestCacheControl second = RequestCacheControl.parse(List.of("max-age=1"));
        missing.remember(ID, noSuchKey(), () -> true);

        now.addAndGet(999);
        assertThat(missing.remainingMillis(ID, freshness(FreshnessSettings.Mode.TTL), second))
                .isPresent();
        now.addAndGet(1);
        assertThat(missing.remainingMillis(ID, freshness(FreshnessSettings.Mode.TTL), second))
                .isEmpty();
    }

    @ParameterizedTest
    @EnumSource(FreshnessSettings.Mode.class)
    void absenceIsRememberedInModeTtlAlone(FreshnessSettings.Mode mode) {
        missing.remember(ID, noSuchKey(), () -> true);

        assertThat(missing.remainingMillis(ID, freshness(mode), NONE).isPresent())
                .isEqualTo(mode == FreshnessSettings.Mode.TTL);
    }

    @Test
    void invalidationOfAPrefixLeavesOtherAbsencesAlone() {
        missing.remember(ID, noSuchKey(), () -> true);

        missing.invalidate(new ObjectPrefix("test", BUCKET, "b/"));
        missing.invalidate(new ObjectPrefix("other", BUCKET, "a/"));
        missing.invalidate(ObjectId.current("test", new ObjectRef(BUCKET, new ObjectKey("a/other"))));
        assertThat(left()).isPresent();
        missing.invalidate(ID);
        assertThat(left()).isEmpty();

        missing.remember(ID, noSuchKey(), () -> true);
        missing.invalidateAll();
        assertThat(left()).isEmpty();
    }

    /** A client may ask for as many versions, of as long ids, as it likes. */
    @Test
    void idsOfVersionsCount() {
        assertThat(weight("v".repeat(1001))).isEqualTo(weight("v") + 2000);
    }

    private static int weight(String versionId) {
        return NegativeCache.weight(new ObjectId("test", ID.object(), Optional.of(versionId)), Optional.of(0L));
    }

    private OptionalLong left() {
        return missing.remainingMillis(ID, freshness(FreshnessSettings.Mode.TTL), NONE);
    }

    private static FreshnessSettings freshness(FreshnessSettings.Mode mode) {
        return BucketViews.freshness(mode, Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ZERO);
    }

    private static BackendException noSuchKey() {
        return new BackendException(BackendException.FailureKind.NO_SUCH_KEY, "not there");
    }
}
