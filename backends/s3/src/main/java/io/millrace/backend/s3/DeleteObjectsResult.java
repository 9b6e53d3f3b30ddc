package io.millrace.backend.s3;

import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.XmlElement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The parsed response to DeleteObjects: the outcome of each key. */
record DeleteObjectsResult(Map<DeleteTarget, KeyResult> entries) {
    /** A key and version of the request; the version is empty if the request had none. */
    record DeleteTarget(String key, String versionId) {}

    /** The outcome of one deletion. */
    record KeyResult(HeaderList headers, Optional<S3ErrorBody> error) {}

    static DeleteObjectsResult of(XmlElement result) {
        Map<DeleteTarget, KeyResult> entries = new HashMap<>();
        result.all("Deleted")
                .forEach(deleted -> entries.put(target(deleted), new KeyResult(headers(deleted), Optional.empty())));
        // Errors last: for a key that was named twice, the error must win.
        result.all("Error")
                .forEach(
                        error -> entries.put(target(error), new KeyResult(HeaderList.EMPTY, Optional.of(text(error)))));
        return new DeleteObjectsResult(Map.copyOf(entries));
    }

    /** Returns the outcome of a deletion; empty if the result does not contain it. */
    Optional<KeyResult> of(Deletion deletion) {
        String key = deletion.object().key().value();
        KeyResult exact = entries.get(new DeleteTarget(key, deletion.versionId().orElse("")));
        return Optional.ofNullable(exact);
    }

    private static DeleteTarget target(XmlElement entry) {
        return new DeleteTarget(
                entry.nonEmptyTextOf("Key").orElse(""),
                entry.nonEmptyTextOf("VersionId").orElse(""));
    }

    private static HeaderList headers(XmlElement deleted) {
        HeaderList headers = HeaderList.EMPTY;
        Optional<String> version =
                deleted.nonEmptyTextOf("DeleteMarkerVersionId").or(() -> deleted.nonEmptyTextOf("VersionId"));
        if (deleted.isTrue("DeleteMarker")) {
            headers = headers.with("x-amz-delete-marker", "true");
        }
        return version.isPresent() ? headers.with("x-amz-version-id", version.get()) : headers;
    }

    private static S3ErrorBody text(XmlElement error) {
        String code = error.nonEmptyTextOf("Code").orElse("InternalError");
        return new S3ErrorBody(
                code, error.nonEmptyTextOf("Message").orElse(""), OptionalLong.empty(), Optional.empty());
    }
}
