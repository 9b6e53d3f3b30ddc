package io.millrace.backend.file;

import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import java.time.Instant;

/**
 * The stored S3 metadata of one content of an object, valid only while its file has the recorded size and modification
 * time. So it does not apply to a file that was changed by hand.
 *
 * @param parts the sizes of its parts, if it was uploaded in parts
 */
record StoredContentMetadata(long size, Instant modified, ETag tag, HeaderList headers, PartSizes parts) {
    /** Creates the metadata of a content that was not uploaded in parts. */
    StoredContentMetadata(long size, Instant modified, ETag tag, HeaderList headers) {
        this(size, modified, tag, headers, PartSizes.NONE);
    }

    boolean describes(FileStat file) {
        return size == file.size() && modified.equals(file.modified());
    }
}
