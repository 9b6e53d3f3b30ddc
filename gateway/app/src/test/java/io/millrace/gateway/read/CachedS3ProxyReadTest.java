package io.millrace.gateway.read;

import io.millrace.backend.spi.Backend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.CacheFixture;
import io.millrace.gateway.TestGateway;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The same through a cache that asks on each read: nothing a client sees may differ. */
@Tag("matrix")
class CachedS3ProxyReadTest extends S3ProxyReadTest {
    @TempDir
    static Path disk;

    private @Nullable BlockCache cache;

    @Override
    TestGateway serve(Backend backend) throws IOException {
        BlockCache opened = CacheFixture.in(disk);
        cache = opened;
        return TestGateway.builder()
                .cache(opened)
                .freshness(BucketViews.freshness(
                        FreshnessSettings.Mode.STRICT, Duration.ZERO, Duration.ZERO, Duration.ZERO))
                .bucket("*", backend)
                .start();
    }

    @AfterAll
    void closeCache() {
        if (cache != null) {
            cache.close();
        }
    }
}
