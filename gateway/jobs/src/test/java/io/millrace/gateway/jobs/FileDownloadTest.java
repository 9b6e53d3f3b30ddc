package io.millrace.gateway.jobs;

import io.millrace.backend.file.FileBackendProvider;
import io.millrace.backend.file.FileBackendSettings;
import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Downloads into a file backend. */
class FileDownloadTest extends DownloadSuite {
    private @Nullable Backend backend;

    @Override
    Backend open(Path folder, BucketName bucket) throws Exception {
        Path objects = Files.createDirectories(folder.resolve("objects"));
        Files.createDirectory(objects.resolve(bucket.value()));
        backend = new FileBackendProvider().create("file", new FileBackendSettings(objects));
        return backend;
    }

    @Override
    void shut() {
        Objects.requireNonNull(backend).close().block(JobsFixture.SOON);
    }
}
