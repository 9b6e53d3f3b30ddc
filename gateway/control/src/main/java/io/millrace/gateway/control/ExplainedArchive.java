package io.millrace.gateway.control;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.derived.ArchivePreview;
import io.millrace.gateway.objects.derived.ArchivePreview.Place;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The archive that an explained object is in, or is itself.
 *
 * @param bucket the bucket that it is in, as clients name it
 * @param key its key, without a prefix that clients of the explained bucket do not see
 * @param preview what its index has; empty if that is not in memory
 */
record ExplainedArchive(BucketName bucket, String key, Optional<ArchivePreview> preview) {
    /** Returns the place of the object in it; empty if it is the archive itself, or its place is not known. */
    Optional<Place> place() {
        return preview.flatMap(ArchivePreview::place);
    }

    /** Returns how many entries are not shown, by reason, as far as is known. */
    Map<String, Long> hidden() {
        return preview.map(ArchivePreview::hidden).orElse(Map.of());
    }

    /** Returns whether the index has no such member. */
    boolean lacksMember() {
        return preview.isPresent() && place().isEmpty();
    }

    /** Returns the sentence that tells users why the next GET of a member fails. */
    String describeAbsence() {
        String reasons = hidden().entrySet().stream()
                .map(reason -> "%,d %s".formatted(reason.getValue(), reason.getKey()))
                .collect(Collectors.joining(", ", " to show; it hides entries, by reason: ", ""));
        return preview.flatMap(ArchivePreview::damage)
                .map(text -> "The next GET fails with InvalidArchive: '%s' in bucket '%s' cannot be read %s."
                        .formatted(key, bucket, text))
                .orElseGet(() -> "The next GET fails with NoSuchKey: '%s' in bucket '%s' has no such member%s."
                        .formatted(key, bucket, hidden().isEmpty() ? "" : reasons));
    }

    /** Returns the beginning of a sentence on the next GET of a member; empty if the index has no such member. */
    String describePlace() {
        if (lacksMember()) {
            return "";
        }
        return place().map(this::describe)
                .orElseGet(() -> ("The object is in '%s' in bucket '%s', of which no index is in memory: the next read"
                                + " makes it. ")
                        .formatted(key, bucket));
    }

    private String describe(Place member) {
        return "The object is the %,d bytes from byte %,d on of '%s' in bucket '%s' (%s). "
                .formatted(member.size(), member.offset(), key, bucket, member.encoding());
    }
}
