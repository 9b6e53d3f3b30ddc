package io.millrace.gateway.archive;

import java.nio.ByteBuffer;

/**
 * A list of a tar's members beside it, as NVIDIA DALI's {@code wds2idx} writes it (version 1.2). Files whose names begin
 * with a dot are not in it. It is a claim: {@link #confirms} compares it with the archive, member by member.
 */
public final class DaliIndex {
    /** The header of a tar before a member's data, in bytes. */
    public static final int HEADER_BYTES = 512;

    private DaliIndex() {}

    /**
     * Gives the members of a list to a consumer.
     *
     * @param text the whole file
     * @param archiveSize the size of the archive beside it, in bytes
     * @throws ArchiveException if it is not such a list, or not one of this archive; the positions are of the list
     */
    public static void read(ByteBuffer text, long archiveSize, ArchiveLimits limits, MemberConsumer members) {
        throw new UnsupportedOperationException();
    }

    /**
     * Returns whether the archive has the member that the list names.
     *
     * @param header {@link #HEADER_BYTES} of the archive that end where the member's data begin
     */
    public static boolean confirms(ByteBuffer header, ArchiveMember member) {
        throw new UnsupportedOperationException();
    }
}
