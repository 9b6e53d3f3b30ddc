package io.millrace.backend.file;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** What every write works with. */
record Workshop(BucketFolders buckets, Temporaries temporaries, Placement placement, AtomicInteger openFiles) {
    /**
     * An empty file that can be renamed into the bucket; the caller discards it in the end.
     *
     * @param sum a checksum to compute besides the MD5
     */
    TemporaryFile fileFor(BucketName bucket, Optional<ChecksumAlgorithm> sum) throws IOException {
        Path path = temporaries.nextFor(buckets.folder(bucket));
        return TemporaryFile.create(path, sum, openFiles);
    }

    /** What a client is told of a content that it wrote: its checksum and of what kind that is. */
    static HeaderList told(StoredContent content) {
        HeaderList sums = StoredFields.sums(content.headers());
        return content.headers()
                .first(StoredFields.TYPE)
                .map(type -> sums.with(StoredFields.TYPE, type))
                .orElse(sums);
    }
}
