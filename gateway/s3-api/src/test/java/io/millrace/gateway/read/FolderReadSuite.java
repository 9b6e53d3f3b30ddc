package io.millrace.gateway.read;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The suite over a folder of plain files. */
abstract class FolderReadSuite extends S3ReadSuite {
    @TempDir
    static Path folder;

    @Override
    protected OriginFixture connect() {
        return FolderOriginFixture.at(folder);
    }
}
