package io.millrace.gateway.read;

import org.junit.jupiter.api.Tag;

/** The suite over a folder of plain files, without a cache. */
@Tag("matrix")
class FileReadTest extends FolderReadSuite {}
