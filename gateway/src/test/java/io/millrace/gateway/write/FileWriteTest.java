package io.millrace.gateway.write;

import io.millrace.gateway.read.FolderOrigin;
import io.millrace.gateway.read.Origin;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The suite over a folder of plain files. */
class FileWriteTest extends S3WriteSuite implements PayloadCases, KeyCases, BucketCases {
    @TempDir
    static Path folder;

    @Override
    Origin connect() {
        return FolderOrigin.at(folder);
    }
}
