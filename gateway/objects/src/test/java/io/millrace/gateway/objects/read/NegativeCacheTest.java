package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Promise;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class NegativeCacheTest {
    private static final BucketName BUCKET = new BucketName("bucket");
    private static final ObjectId ID = ObjectId.current("test", new ObjectRef(BUCKET, new ObjectKey("a/key")));
    private static final ObjectPrefix BELOW = new ObjectPrefix("test", BUCKET, "a/");

    private final NegativeCache missing = new NegativeCache(Clock.systemUTC());

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

    /** A client may ask for as many versions, of as long ids, as it likes. */
    @Test
    void idsOfVersionsCount() {
        assertThat(weight("v".repeat(1001))).isEqualTo(weight("v") + 2000);
    }

    private static int weight(String versionId) {
        return NegativeCache.weight(new ObjectId("test", ID.object(), Optional.of(versionId)), Optional.of(0L));
    }

    private OptionalLong left() {
        FreshnessSettings minute = new FreshnessSettings(
                FreshnessSettings.Mode.TTL,
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ZERO,
                Duration.ZERO,
                Duration.ZERO);
        return missing.remainingMillis(ID, minute, RequestCacheControl.NONE);
    }

    private static BackendException noSuchKey() {
        return new BackendException(BackendException.FailureKind.NO_SUCH_KEY, "not there");
    }
}
