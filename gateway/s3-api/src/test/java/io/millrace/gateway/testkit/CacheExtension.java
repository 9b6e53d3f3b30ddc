package io.millrace.gateway.testkit;

import io.millrace.backend.spi.Backend;
import io.millrace.cache.BlockCache;
import io.millrace.gateway.objects.bucket.BucketViews;
import io.millrace.gateway.objects.bucket.FreshnessSettings;
import io.millrace.gateway.objects.testkit.CacheFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A cache in a folder of its own, open for all tests of a class if it is in a static field, and otherwise for each. */
public final class CacheExtension
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    private @Nullable Path folder;
    private @Nullable BlockCache cache;
    private boolean forAll;

    public BlockCache get() {
        return Objects.requireNonNull(cache);
    }

    /** Starts a gateway that revalidates on each read. */
    public TestGateway serveStrictly(Backend backend) throws IOException {
        return TestGateway.builder()
                .cache(get())
                .freshness(BucketViews.freshness(
                        FreshnessSettings.Mode.STRICT, Duration.ZERO, Duration.ZERO, Duration.ZERO))
                .bucket("*", backend)
                .start();
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        forAll = true;
        open();
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        if (!forAll) {
            open();
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException {
        if (!forAll) {
            close();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        close();
    }

    private void open() throws IOException {
        Path created = Files.createTempDirectory("cache");
        folder = created;
        cache = CacheFixture.in(created);
    }

    private void close() throws IOException {
        get().close();
        try (Stream<Path> all = Files.walk(Objects.requireNonNull(folder))) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
