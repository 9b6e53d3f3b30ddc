package io.millrace.backend.file;

import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.UploadCompletion;
import io.millrace.backend.spi.WriteHeaderPolicy;
import io.millrace.backend.spi.object.HeaderList;
import java.time.Instant;
import java.util.List;

/**
 * The validated part files and the resulting object metadata of a CompleteMultipartUpload request, computed without
 * reading the parts' bytes.
 *
 * @param parts in the order of the object
 */
record CompletionPlan(StoredUpload upload, List<PartFile> parts, UploadCompletion completion) {
    /**
     * Checks the stored parts against the request.
     *
     * @param found the stored part for each named one
     * @param given the headers of the completion
     * @throws io.millrace.backend.spi.BackendException with S3's error if they do not match
     */
    static CompletionPlan of(StoredUpload upload, List<CompletedPart> named, List<PartFile> found, HeaderList given) {
        List<ListedPart> listed = found.stream().map(PartFile::listed).toList();
        return new CompletionPlan(upload, found, UploadCompletion.of(upload.checksum(), named, listed, given));
    }

    /** Returns the metadata to store with the object. */
    StoredContentMetadata contentMetadata(Instant modified) {
        HeaderList headers = WriteHeaderPolicy.withoutChecksums(WriteHeaderPolicy.storable("file", upload.headers()))
                .with(completion.checksums());
        List<Long> sizes = parts.stream().map(part -> part.content().size()).toList();
        return new StoredContentMetadata(completion.size(), modified, completion.eTag(), headers, PartSizes.of(sizes));
    }
}
