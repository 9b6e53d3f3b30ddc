package io.millrace.backend.file;

import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectRef;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * The stored record of a multipart upload in progress: its object, id, start time and headers.
 *
 * @param headers the headers to store the object with, and the requested checksum
 */
record StoredUpload(ObjectRef object, String id, Instant initiated, HeaderList headers) {
    /** Returns the text that is stored: the metadata format of an object, with the id as ETag. */
    String toText() {
        return MetadataFileFormat.write(
                object.key(), List.of(new StoredContentMetadata(0, initiated, ETag.strong(id), headers)));
    }

    /** Parses {@link #toText}; empty if it is corrupt. */
    static Optional<StoredUpload> parse(String text, ObjectRef object) {
        return MetadataFileFormat.read(text, object.key()).stream()
                .findFirst()
                .map(stored -> new StoredUpload(object, stored.tag().opaque(), stored.modified(), stored.headers()));
    }

    MultipartUpload upload() {
        return new MultipartUpload(object, id);
    }

    Optional<UploadChecksumSpec> checksum() {
        return UploadChecksumSpec.of(headers);
    }

    HeaderList checksumHeaders() {
        return checksum().map(UploadChecksumSpec::headers).orElse(HeaderList.EMPTY);
    }

    /** Returns the entry of a listing. */
    ListedUpload listed() {
        return new ListedUpload(upload(), initiated.truncatedTo(ChronoUnit.SECONDS), "STANDARD", checksumHeaders());
    }
}
