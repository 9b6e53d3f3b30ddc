package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.gateway.archive.ArchiveMember;
import io.millrace.gateway.objects.read.ObjectSlice;
import java.util.Optional;

/**
 * The metadata of a member, and where its bytes are.
 *
 * @param slice the metadata, and where the bytes of a member that is not deflated begin
 * @param deflated the member, if its bytes are to be decoded
 */
record MemberPlace(ObjectSlice slice, Optional<ArchiveMember> deflated) {
    /** Returns the place of a member whose bytes are a part of the archive. */
    static MemberPlace of(ObjectSlice slice) {
        return new MemberPlace(slice, Optional.empty());
    }

    /** Returns the place of a member whose bytes are to be decoded. */
    static MemberPlace deflated(ObjectHead head, ArchiveMember member) {
        return new MemberPlace(new ObjectSlice(head, member.position()), Optional.of(member));
    }

    ObjectHead head() {
        return slice.head();
    }
}
