package io.millrace.gateway.write;

import io.millrace.gateway.objects.bucket.BucketSettings.WriteMode;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.testkit.TestGateway;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/**
 * The same through a cache that never asks again and keeps nothing of what is written: every write must be told to it.
 */
@Tag("long")
class ImmutableFileWriteTest extends CachedFileWriteTest {
    @Override
    TestGateway.Builder caching(TestGateway.Builder gateway) {
        return gateway.freshness(BucketViews.freshness(
                        FreshnessSettings.Mode.IMMUTABLE, Duration.ofHours(1), Duration.ofHours(1), Duration.ZERO))
                .write(WriteMode.INVALIDATE);
    }
}
