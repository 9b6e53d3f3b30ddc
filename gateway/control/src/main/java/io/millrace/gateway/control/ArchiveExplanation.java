package io.millrace.gateway.control;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.gateway.objects.derived.ArchivePreview;
import io.millrace.gateway.objects.derived.ArchivePreview.Place;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The part of an explanation that tells of the archive that an object is in, or is itself.
 *
 * @param bucket the bucket that the archive is in, as clients name it
 * @param key the archive's key, without a prefix that clients of the explained bucket do not see
 * @param indexed whether the archive's index is in memory; if it is not, what follows is unknown
 * @param members how many members are shown
 * @param hidden how many entries are not, by reason
 * @param damage from where on the archive cannot be read, and why
 * @param offset the first byte of the object's data in the archive; in a zip of the header before them
 * @param size the bytes of the object
 * @param eTag of the object
 * @param encoding {@code stored} or {@code deflated}
 */
record ArchiveExplanation(
        String bucket,
        String key,
        boolean indexed,
        OptionalInt members,
        Map<String, Long> hidden,
        Optional<String> damage,
        OptionalLong offset,
        OptionalLong size,
        Optional<String> eTag,
        Optional<String> encoding) {
    ArchiveExplanation {
        hidden = Collections.unmodifiableMap(new TreeMap<>(hidden));
    }

    /** @param found empty if the index is not in memory */
    static ArchiveExplanation of(BucketName bucket, String key, Optional<ArchivePreview> found) {
        Optional<Place> place = found.flatMap(ArchivePreview::place);
        return new ArchiveExplanation(
                bucket.value(),
                key,
                found.isPresent(),
                found.map(archive -> OptionalInt.of(archive.members())).orElse(OptionalInt.empty()),
                found.map(ArchivePreview::hidden).orElse(Map.of()),
                found.flatMap(ArchivePreview::damage),
                place.map(member -> OptionalLong.of(member.offset())).orElse(OptionalLong.empty()),
                place.map(member -> OptionalLong.of(member.size())).orElse(OptionalLong.empty()),
                place.map(Place::eTag),
                place.map(member -> member.isDeflated() ? "deflated" : "stored"));
    }

    /** Returns whether the index has no such member. */
    boolean lacksMember() {
        return indexed && offset.isEmpty();
    }

    /** Returns the sentence that tells users why the next GET of a member fails. */
    String describeAbsence() {
        String reasons = hidden.entrySet().stream()
                .map(reason -> "%,d %s".formatted(reason.getValue(), reason.getKey()))
                .collect(Collectors.joining(", ", " to show; it hides entries, by reason: ", ""));
        return damage.map(text -> "The next GET fails with InvalidArchive: '%s' in bucket '%s' cannot be read %s."
                        .formatted(key, bucket, text))
                .orElseGet(() -> "The next GET fails with NoSuchKey: '%s' in bucket '%s' has no such member%s."
                        .formatted(key, bucket, hidden.isEmpty() ? "" : reasons));
    }

    /** Returns the beginning of a sentence on the next GET of a member; empty if the index has no such member. */
    String describePlace() {
        if (lacksMember()) {
            return "";
        }
        return indexed
                ? "The object is the %,d bytes from byte %,d on of '%s' in bucket '%s' (%s). "
                        .formatted(size.orElse(0), offset.orElse(0), key, bucket, encoding.orElse(""))
                : "The object is in '%s' in bucket '%s', of which no index is in memory: the next read makes it. "
                        .formatted(key, bucket);
    }
}
