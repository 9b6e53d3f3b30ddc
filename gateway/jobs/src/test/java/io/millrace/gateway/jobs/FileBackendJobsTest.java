package io.millrace.gateway.jobs;

import io.millrace.gateway.read.FolderOriginFixture;
import io.millrace.gateway.read.OriginFixture;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** Jobs over a file backend. */
class FileBackendJobsTest extends BackendJobsSuite {
    @TempDir
    static Path files;

    @Override
    OriginFixture connect() {
        return FolderOriginFixture.at(files);
    }
}
