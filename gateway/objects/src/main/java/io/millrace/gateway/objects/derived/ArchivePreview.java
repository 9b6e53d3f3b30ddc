package io.millrace.gateway.objects.derived;

import io.millrace.gateway.archive.ArchiveMember;
import io.millrace.gateway.archive.HiddenReason;
import io.millrace.gateway.archive.MemberIndex;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A preview of an archive: what its index in memory has.
 *
 * @param members how many it has
 * @param hidden how many entries are hidden, by the labels of the reasons that there are
 * @param damage from where on it could not be read, and why; empty if it was read to its end
 * @param place the place of one member; empty if none was asked for, or it is not there
 */
public record ArchivePreview(int members, Map<String, Long> hidden, Optional<String> damage, Optional<Place> place) {
    public ArchivePreview {
        hidden = Collections.unmodifiableMap(new TreeMap<>(hidden));
    }

    /**
     * The place of a member in its archive.
     *
     * @param offset the first byte of its data; in a zip that of the local header before them
     * @param size the bytes of its content
     * @param eTag of the member
     */
    public record Place(long offset, long size, boolean isDeflated, String eTag) {
        /** Returns how the content is kept there: {@code stored} or {@code deflated}. */
        public String encoding() {
            return isDeflated ? "deflated" : "stored";
        }

        private static Place of(ArchiveIndex index, int number) {
            ArchiveMember member = index.members().member(number);
            return new Place(
                    member.position(),
                    member.size(),
                    member.isDeflated(),
                    index.tag(number).toString());
        }
    }

    static ArchivePreview of(ArchiveIndex index, Optional<String> member) {
        MemberIndex members = index.members();
        Map<String, Long> hidden = new TreeMap<>();
        for (HiddenReason reason : HiddenReason.values()) {
            if (members.hidden(reason) > 0) {
                hidden.put(reason.label(), members.hidden(reason));
            }
        }
        return new ArchivePreview(
                members.size(),
                hidden,
                members.damage().map(damage -> "from byte %d on: %s".formatted(damage.position(), damage.getMessage())),
                member.map(members::find).filter(number -> number >= 0).map(number -> Place.of(index, number)));
    }
}
