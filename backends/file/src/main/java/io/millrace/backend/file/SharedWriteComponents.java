package io.millrace.backend.file;

import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The components that all writes of bodies share: bucket folders, temporary files, the commit step and the count of
 * open files.
 */
record SharedWriteComponents(
        BucketFolders buckets, TemporaryPaths temporaryPaths, ObjectCommitter committer, AtomicInteger openFiles) {
    /**
     * Creates an empty file that can be renamed into the bucket. The caller discards it in the end.
     *
     * @param sum a checksum to compute besides the MD5
     */
    DigestingTemporaryFile newFileFor(BucketName bucket, Optional<ChecksumAlgorithm> sum) throws IOException {
        Path path = temporaryPaths.newPathFor(buckets.folder(bucket));
        return DigestingTemporaryFile.create(path, sum, openFiles);
    }

    /** Returns the checksum headers of the response to a write. */
    static HeaderList checksumHeaders(StoredContentMetadata content) {
        HeaderList sums = WriteHeaderPolicy.checksums(content.headers());
        return content.headers()
                .first(UploadChecksumSpec.TYPE_HEADER)
                .map(type -> sums.with(UploadChecksumSpec.TYPE_HEADER, type))
                .orElse(sums);
    }
}
