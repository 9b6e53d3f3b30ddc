package io.millrace.gateway.objects.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.cache.BlockCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.bucket.FreshnessSettings.Mode;
import io.millrace.gateway.objects.testkit.CacheFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Without its lease a gateway may not use what it remembers, since others may have changed it; with it again it may.
 */
class CacheLeaseTest {
    private static final String KEY = "k/100";
    private static final RequestCacheControl ONLY_IF_CACHED = RequestCacheControl.parse(List.of("only-if-cached"));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    private final ComputedBackend backend = new ComputedBackend();
    private final AtomicBoolean held = new AtomicBoolean(true);
    private final CacheLease lease = bucket -> held.get();
    private final BucketView bucket = BucketViews.of(
            "bucket",
            backend,
            "bucket",
            "",
            List.of(),
            new FreshnessSettings(
                    Mode.IMMUTABLE,
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(60),
                    Duration.ZERO,
                    Duration.ZERO));
    private final ObjectRef object = bucket.at(new ObjectKey(KEY));

    @SuppressWarnings("NullAway.Init")
    private BlockCache cache;

    @SuppressWarnings("NullAway.Init")
    private CurrentObjectFinder objects;

    @BeforeEach
    void start() throws IOException {
        cache = CacheFixture.in(folder, "1GiB", InstantSource.system());
        objects = new CurrentObjectFinder(
                Optional.of(cache), ObjectSourceFactory.BACKENDS, InstantSource.system(), lease);
    }

    @AfterEach
    void stop() {
        cache.close();
    }

    @Test
    void revalidatesObjectsOnlyWithoutTheLease() {
        find(RequestCacheControl.NONE);
        int first = backend.asked().size();
        find(RequestCacheControl.NONE);
        assertThat(backend.asked()).hasSize(first);

        held.set(false);
        find(RequestCacheControl.NONE);
        find(RequestCacheControl.NONE);
        assertThat(backend.asked()).hasSize(first + 2);

        held.set(true);
        find(RequestCacheControl.NONE);
        assertThat(backend.asked()).hasSize(first + 2);
    }

    @Test
    void onlyIfCachedIsNotCachedWithoutTheLease() {
        find(RequestCacheControl.NONE);
        assertThat(find(ONLY_IF_CACHED)).isInstanceOf(CurrentObject.Cached.class);

        held.set(false);

        assertThat(find(ONLY_IF_CACHED)).isInstanceOf(CurrentObject.NotCached.class);
    }

    @Test
    void servesListingsFromMemoryOnlyWithTheLease() {
        assertThat(isFromMemory()).isFalse();
        assertThat(isFromMemory()).isTrue();

        held.set(false);
        assertThat(isFromMemory()).isFalse();
    }

    @Test
    void previewIsARevalidationWithoutTheLease() {
        find(RequestCacheControl.NONE);
        assertThat(preview()).isEqualTo(ReadPreview.Next.PARTIAL);

        held.set(false);
        assertThat(preview()).isEqualTo(ReadPreview.Next.REVALIDATE);
    }

    @Test
    void copiesUseNoCachedHeadWithoutTheLease() {
        cache.reader()
                .revalidate(
                        ObjectId.current("backend", object),
                        false,
                        new BackendObjectSource(bucket, ObjectId.current("backend", object)))
                .block();
        ResidentObjectReader reader =
                new ResidentObjectReader(cache.reader(), ObjectSourceFactory.BACKENDS, InstantSource.system(), lease);
        assertThat(reader.head(bucket, object).blockOptional().orElseThrow().fresh())
                .isTrue();

        held.set(false);

        ResidentObjectReader.CachedHead head =
                reader.head(bucket, object).blockOptional().orElseThrow();
        assertThat(head.fresh()).isFalse();
        assertThat(head.freshIfListed()).isFalse();
    }

    private CurrentObject find(RequestCacheControl client) {
        return objects.find(bucket, ReadRequest.of(object), client, false)
                .blockOptional()
                .orElseThrow();
    }

    private ReadPreview.Next preview() {
        return objects.previewer()
                .preview(bucket, object)
                .blockOptional()
                .orElseThrow()
                .next();
    }

    private boolean isFromMemory() {
        ListRequest request = new ListRequest(
                bucket.backendBucket(), KEY, "", new ListRequest.PageStart.FirstKey(), ListRequest.MAX_KEYS, false);
        return objects.list(bucket, request, RequestCacheControl.NONE)
                .blockOptional()
                .orElseThrow()
                .status()
                .filter(status -> status.result() == CacheResult.HIT)
                .isPresent();
    }
}
