package io.millrace.backend.file.object;

import io.millrace.backend.file.layout.BucketFolders;
import io.millrace.backend.file.layout.TemporaryPaths;
import io.millrace.backend.file.metadata.ContentMetadata;
import io.millrace.backend.file.metadata.StorableHeaders;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The collaborators that every write of a body needs: bucket folders, temporary files, the commit step and the count of open
 * files.
 */
public record WriteContext(
        BucketFolders buckets, TemporaryPaths temporaryPaths, ObjectCommitter committer, AtomicInteger openFiles) {
    /**
     * Creates an empty file that can be renamed into the bucket. The caller discards it in the end.
     *
     * @param sum a checksum to compute besides the MD5
     */
    public TemporaryFile newFileFor(BucketName bucket, Optional<ChecksumAlgorithm> sum) throws IOException {
        Path path = temporaryPaths.newPathFor(buckets.folder(bucket));
        return TemporaryFile.create(path, sum, openFiles);
    }

    /** Returns the checksum headers of the response to a write. */
    public static HeaderList checksumHeaders(ContentMetadata content) {
        HeaderList sums = StorableHeaders.checksums(content.headers());
        return content.headers()
                .first(StorableHeaders.CHECKSUM_TYPE)
                .map(type -> sums.with(StorableHeaders.CHECKSUM_TYPE, type))
                .orElse(sums);
    }
}
