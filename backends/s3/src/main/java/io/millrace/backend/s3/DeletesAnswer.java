package io.millrace.backend.s3;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What became of each key, by key and version as they were named. */
record DeletesAnswer(Map<Target, Entry> entries) {
    /** As it was asked for; the version is empty if none was. */
    record Target(String key, String versionId) {}

    /** What became of one. */
    record Entry(HeaderList headers, Optional<ErrorText> error) {}

    static DeletesAnswer of(XmlElement result) {
        Map<Target, Entry> entries = new HashMap<>();
        result.all("Deleted")
                .forEach(deleted -> entries.put(target(deleted), new Entry(headers(deleted), Optional.empty())));
        // An error last: of a key that was named twice, it is what a client has to know.
        result.all("Error")
                .forEach(error -> entries.put(target(error), new Entry(HeaderList.EMPTY, Optional.of(text(error)))));
        return new DeletesAnswer(Map.copyOf(entries));
    }

    /** Empty if the answer does not say. */
    Optional<Entry> of(Deletion deletion) {
        String key = deletion.object().key().value();
        Entry exact = entries.get(new Target(key, deletion.versionId().orElse("")));
        return Optional.ofNullable(exact);
    }

    private static Target target(XmlElement entry) {
        return new Target(
                entry.textOf("Key").orElse(""), entry.textOf("VersionId").orElse(""));
    }

    private static HeaderList headers(XmlElement deleted) {
        HeaderList headers = HeaderList.EMPTY;
        Optional<String> version = deleted.textOf("DeleteMarkerVersionId").or(() -> deleted.textOf("VersionId"));
        if (deleted.isTrue("DeleteMarker")) {
            headers = headers.with("x-amz-delete-marker", "true");
        }
        return version.isPresent() ? headers.with("x-amz-version-id", version.get()) : headers;
    }

    private static ErrorText text(XmlElement error) {
        String code = error.textOf("Code").orElse("InternalError");
        return new ErrorText(code, error.textOf("Message").orElse(""), OptionalLong.empty());
    }
}
