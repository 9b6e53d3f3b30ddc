package io.millrace.gateway.archive;

import java.nio.ByteBuffer;

/** The header before the data of a zip's entry. Only it tells how long itself is. */
public final class ZipLocalHeader {
    /** The part of it that is read, in bytes from {@link ArchiveMember#position()} on. */
    public static final int BYTES = 30;

    private ZipLocalHeader() {}

    /**
     * Returns the position in the archive at which the data of a member begin.
     *
     * @param header at least {@link #BYTES} of the archive from the member's position on
     * @param archiveSize the archive's size in bytes
     * @throws ArchiveException if there is no header, one that contradicts the directory, or one after which the data are
     *     not within the archive
     */
    public static long dataPosition(ByteBuffer header, ArchiveMember member, long archiveSize) {
        throw new UnsupportedOperationException();
    }
}
