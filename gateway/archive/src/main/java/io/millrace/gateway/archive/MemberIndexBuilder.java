package io.millrace.gateway.archive;

/** A collector of the members of one archive, from which their index is made. Not thread-safe. */
public final class MemberIndexBuilder implements MemberConsumer {
    public MemberIndexBuilder(ArchiveFormat format, ArchiveLimits limits) {}

    /**
     * Adds a member. Of several with one name the first stays, and the others are hidden as
     * {@link HiddenReason#DUPLICATE}.
     *
     * @throws ArchiveException if these are more members than an index may have
     */
    @Override
    public void member(ArchiveMember member) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void hidden(HiddenReason reason) {
        throw new UnsupportedOperationException();
    }

    /** Returns the index of an archive that was read to its end. */
    public MemberIndex build() {
        throw new UnsupportedOperationException();
    }

    /** Returns the index of what was found before the archive could not be read further. */
    public MemberIndex build(ArchiveException damage) {
        throw new UnsupportedOperationException();
    }
}
