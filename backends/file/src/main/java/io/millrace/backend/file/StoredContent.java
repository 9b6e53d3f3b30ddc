package io.millrace.backend.file;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import java.time.Instant;

/**
 * What a write left beside the bytes of one content, and by what that content is known again: a file of another size or time
 * was changed by hand, and this says nothing about it.
 */
record StoredContent(long size, Instant modified, ETag tag, HeaderList headers) {
    boolean describes(FileStat file) {
        return size == file.size() && modified.equals(file.modified());
    }
}
