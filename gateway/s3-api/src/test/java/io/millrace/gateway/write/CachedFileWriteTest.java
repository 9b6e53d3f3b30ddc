package io.millrace.gateway.write;

import io.millrace.backend.spi.Backend;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.read.FolderOriginFixture;
import io.millrace.gateway.read.OriginFixture;
import io.millrace.gateway.testkit.CacheExtension;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The same through a cache that asks seldom and is filled by writes: nothing a client sees may differ. */
class CachedFileWriteTest extends S3WriteSuite {
    @TempDir
    static Path folder;

    @RegisterExtension
    static final CacheExtension CACHE = new CacheExtension();

    @Override
    protected OriginFixture connect() {
        return FolderOriginFixture.at(folder);
    }

    @Override
    TestGateway.Builder serve(TestGateway.Builder gateway, Backend backend) throws IOException {
        return caching(gateway.cache(CACHE.get())).bucket("*", backend);
    }

    /** Sets the rules of the cache. */
    TestGateway.Builder caching(TestGateway.Builder gateway) {
        return gateway.freshness(BucketViews.freshness(
                FreshnessSettings.Mode.TTL, Duration.ofHours(1), Duration.ofHours(1), Duration.ofHours(1)));
    }
}
