package io.millrace.gateway.jobs;

import io.millrace.backend.http.BackendTlsSettings;
import io.millrace.backend.http.ConnectionSettings;
import io.millrace.backend.s3.S3BackendProvider;
import io.millrace.backend.s3.S3BackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BucketManager.NewBucket;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.config.Secret;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.gaul.s3proxy.junit.S3ProxyJunitCore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;

/** Downloads into an S3 backend. */
@Tag("matrix")
class S3DownloadTest extends DownloadSuite {
    private static final String ACCESS_KEY = "target-key";
    private static final String SECRET_KEY = "target-secret";

    private final S3ProxyJunitCore proxy = new S3ProxyJunitCore.Builder()
            .withCredentials(ACCESS_KEY, SECRET_KEY)
            .withBlobStoreProvider("filesystem-nio2")
            .build();

    private @Nullable Backend backend;

    @Override
    Backend open(Path folder, BucketName bucket) throws Exception {
        proxy.beforeEach();
        Backend opened = new S3BackendProvider()
                .create(
                        "s3",
                        new S3BackendSettings(
                                Optional.of(Objects.requireNonNull(proxy.getUri())),
                                "us-east-1",
                                Optional.of(true),
                                Optional.of(ACCESS_KEY),
                                Optional.of(Secret.of(SECRET_KEY)),
                                Optional.empty(),
                                false,
                                new ConnectionSettings(
                                        256,
                                        BackendTlsSettings.DEFAULTS,
                                        Optional.empty(),
                                        Duration.ofSeconds(2),
                                        Duration.ofSeconds(20),
                                        Duration.ofSeconds(20)),
                                Optional.empty(),
                                false));
        opened.createBucket(NewBucket.of(bucket)).block(JobsFixture.SOON);
        backend = opened;
        return opened;
    }

    @Override
    void shut() {
        Objects.requireNonNull(backend).close().block(JobsFixture.SOON);
        proxy.afterEach();
    }
}
