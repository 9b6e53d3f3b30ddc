package io.millrace.gateway.archive;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The members of an archive, sorted by the bytes of their names in UTF-8, as S3 sorts keys. It takes 20 bytes and the name
 * for each member of a tar, 33 and the name for each of a zip. Immutable; numbers of members count from 0 in that order.
 */
public final class MemberIndex {
    /** Returns the index that {@link #encoded()} gave; empty if the bytes are damaged, or of another version. */
    public static Optional<MemberIndex> decode(ByteBuffer encoded) {
        throw new UnsupportedOperationException();
    }

    /** Returns the index as bytes that {@link #decode} takes: a read-only view of what it is in memory. */
    public ByteBuffer encoded() {
        throw new UnsupportedOperationException();
    }

    /** Returns the bytes of it, in memory as on disk. */
    public int bytes() {
        throw new UnsupportedOperationException();
    }

    public ArchiveFormat format() {
        throw new UnsupportedOperationException();
    }

    /** Returns the number of members. */
    public int size() {
        throw new UnsupportedOperationException();
    }

    /** Returns the number of the member of a name, or -1; allocates nothing. */
    public int find(String name) {
        throw new UnsupportedOperationException();
    }

    /** Returns the number of the first member whose name is the given one or sorts after it; {@link #size()} if none. */
    public int ceiling(String name) {
        throw new UnsupportedOperationException();
    }

    public String name(int number) {
        throw new UnsupportedOperationException();
    }

    /** Returns {@link ArchiveMember#position()} of a member. */
    public long position(int number) {
        throw new UnsupportedOperationException();
    }

    /** Returns the bytes of a member's content. */
    public long contentSize(int number) {
        throw new UnsupportedOperationException();
    }

    /** Returns a member with all that is known of it. */
    public ArchiveMember member(int number) {
        throw new UnsupportedOperationException();
    }

    /** Returns how many entries are hidden for a reason. */
    public long hidden(HiddenReason reason) {
        throw new UnsupportedOperationException();
    }

    /** Returns why members are missing, if the archive could not be read to its end: names not found may be there. */
    public Optional<ArchiveException> damage() {
        throw new UnsupportedOperationException();
    }
}
