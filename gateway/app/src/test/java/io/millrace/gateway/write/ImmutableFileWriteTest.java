package io.millrace.gateway.write;

import io.millrace.backend.spi.Backend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.CacheFixture;
import io.millrace.gateway.TestGateway;
import io.millrace.gateway.objects.bucket.BucketSettings.WriteMode;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.read.FolderOriginFixture;
import io.millrace.gateway.read.OriginFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The same through a cache that never asks again and keeps nothing of what is written: every write must be told to it. */
@Tag("long")
class ImmutableFileWriteTest extends S3WriteSuite {
    @TempDir
    static Path folder;

    @TempDir
    static Path disk;

    private @Nullable BlockCache cache;

    @Override
    OriginFixture connect() {
        return FolderOriginFixture.at(folder);
    }

    @Override
    TestGateway.Builder serve(TestGateway.Builder gateway, Backend backend) throws IOException {
        BlockCache opened = CacheFixture.in(disk);
        cache = opened;
        return gateway.cache(opened)
                .freshness(BucketViews.freshness(
                        FreshnessSettings.Mode.IMMUTABLE, Duration.ofHours(1), Duration.ofHours(1), Duration.ZERO))
                .write(WriteMode.INVALIDATE)
                .bucket("*", backend);
    }

    @AfterAll
    void closeCache() {
        if (cache != null) {
            cache.close();
        }
    }
}
