package io.millrace.backend.file;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectRef;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * An upload that was begun.
 *
 * @param headers what its object is to be stored with, and which checksum it is to have
 */
record UploadInfo(ObjectRef object, String id, Instant initiated, HeaderList headers) {
    /** As it lies on the disk: as the metadata of an object, with its id as a tag. */
    String text() {
        return MetadataText.write(object.key(), List.of(new StoredContent(0, initiated, ETag.strong(id), headers)));
    }

    /** Reads {@link #text}; empty if it is damaged. */
    static Optional<UploadInfo> parse(String text, ObjectRef object) {
        return MetadataText.read(text, object.key()).stream()
                .findFirst()
                .map(stored -> new UploadInfo(object, stored.tag().opaque(), stored.modified(), stored.headers()));
    }

    Upload upload() {
        return new Upload(object, id);
    }

    Optional<UploadSum> sum() {
        return UploadSum.of(headers);
    }

    HeaderList sumFields() {
        return sum().map(UploadSum::fields).orElse(HeaderList.EMPTY);
    }

    ListedUpload listed() {
        return new ListedUpload(upload(), initiated.truncatedTo(ChronoUnit.SECONDS), "STANDARD", sumFields());
    }
}
