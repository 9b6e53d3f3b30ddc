package io.millrace.gateway.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.read.CacheResult;
import io.millrace.gateway.objects.testkit.CacheFixture;
import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.testkit.TestGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plays all cases of reading through a cache whose objects are fresh, on the fast path and the general path, which give
 * one response.
 */
class BothPathsReadTest extends FolderReadSuite {
    @TempDir
    static Path disk;

    @SuppressWarnings("NullAway.Init") // serve sets it, before all tests
    private BlockCache cache;

    @Override
    protected TestGateway serve(Backend backend) throws IOException {
        cache = CacheFixture.in(disk);
        return TestGateway.builder()
                .cache(cache)
                .freshness(BucketViews.freshness(
                        FreshnessSettings.Mode.TTL, Duration.ofMinutes(10), Duration.ZERO, Duration.ZERO))
                .bucket("*", backend)
                .start();
    }

    @Override
    public RawResponse wire() {
        return new RawResponse(
                gateway().port(), "127.0.0.1:" + gateway().port(), gateway().signer(), true, wording());
    }

    /** The way in which each request comes. */
    RawResponse.Wording wording() {
        return RawResponse.Wording.PLAIN;
    }

    /** Invalidates what may have been there: nobody else would tell the gateway. */
    @Override
    public String seeded(String key, int size) throws IOException {
        String target = super.seeded(key, size);
        cache.writeFence()
                .invalidate(new ObjectPrefix("backend-0", new BucketName(bucket()), ""))
                .block();
        return target;
    }

    @AfterAll
    void closeCache() {
        List<RequestRecord> hits = gateway().requests().stream()
                .filter(BothPathsReadTest::mayBeFast)
                .toList();
        long fast = hits.stream().filter(RequestRecord::fastPath).count();
        cache.close();
        // The others are large, or have conditions, versions and parts.
        assertThat(fast).isGreaterThan(100).isGreaterThan(hits.size() / 2);
    }

    private static boolean mayBeFast(RequestRecord request) {
        return request.cache().equals(Optional.of(CacheResult.HIT))
                && request.status() < 300
                && request.request()
                        .filter(sent ->
                                sent.headers().first(RawResponse.GENERAL).isEmpty())
                        .isPresent();
    }
}
