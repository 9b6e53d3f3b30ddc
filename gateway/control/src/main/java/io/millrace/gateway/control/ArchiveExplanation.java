package io.millrace.gateway.control;

import io.millrace.gateway.objects.derived.ArchivePreview;
import io.millrace.gateway.objects.derived.ArchivePreview.Place;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The part of an explanation that tells of the archive that an object is in, or is itself. The object's size and ETag
 * are where those of all objects are.
 *
 * @param bucket the bucket that the archive is in, as clients name it
 * @param key the archive's key, without a prefix that clients of the explained bucket do not see
 * @param indexed whether the archive's index is in memory; if it is not, what follows is unknown
 * @param members how many members are shown
 * @param hidden how many entries are not, by reason
 * @param damage from where on the archive cannot be read, and why
 * @param offset the first byte of the object's data in the archive; in a zip of the header before them
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
        Optional<String> encoding) {
    ArchiveExplanation {
        hidden = Collections.unmodifiableMap(new TreeMap<>(hidden));
    }

    static ArchiveExplanation of(ExplainedArchive archive) {
        Optional<ArchivePreview> found = archive.preview();
        Optional<Place> place = archive.place();
        return new ArchiveExplanation(
                archive.bucket().value(),
                archive.key(),
                found.isPresent(),
                found.map(index -> OptionalInt.of(index.members())).orElse(OptionalInt.empty()),
                archive.hidden(),
                found.flatMap(ArchivePreview::damage),
                place.map(member -> OptionalLong.of(member.offset())).orElse(OptionalLong.empty()),
                place.map(Place::encoding));
    }
}
