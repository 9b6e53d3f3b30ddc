package io.millrace.backend.file;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import java.time.Instant;

/**
 * What a write left beside the bytes of one content, and by what that content is known again: a file of another size or time
 * was changed by hand, and this says nothing about it.
 *
 * @param parts what it was made of, if it was uploaded in parts
 */
record StoredContent(long size, Instant modified, ETag tag, HeaderList headers, PartSizes parts) {
    /** One that was not made of parts. */
    StoredContent(long size, Instant modified, ETag tag, HeaderList headers) {
        this(size, modified, tag, headers, PartSizes.NONE);
    }

    boolean describes(FileStat file) {
        return size == file.size() && modified.equals(file.modified());
    }
}
