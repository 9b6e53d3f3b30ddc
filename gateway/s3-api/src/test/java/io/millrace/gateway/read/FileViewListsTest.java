package io.millrace.gateway.read;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The suite over a folder of plain files. */
@Tag("matrix")
class FileViewListsTest extends ViewListSuite {
    @TempDir
    static Path folder;

    @Override
    OriginFixture connect() {
        return FolderOriginFixture.at(folder);
    }
}
