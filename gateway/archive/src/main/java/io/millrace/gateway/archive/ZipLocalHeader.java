package io.millrace.gateway.archive;

import static io.millrace.gateway.archive.ZipEnd.shortAt;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The header before the data of a zip's entry. Only it tells how long itself is. */
public final class ZipLocalHeader {
    /** The part of it that is read, in bytes from {@link ArchiveMember#position()} on. */
    public static final int BYTES = 30;

    private static final int SIGNATURE = 0x04034b50;

    private ZipLocalHeader() {}

    /**
     * Returns the position in the archive at which the data of a member begin.
     *
     * @param header at least {@link #BYTES} of the archive from the member's position on; they are not consumed
     * @param archiveSize the archive's size in bytes
     * @throws ArchiveException if there is no header, one that contradicts the directory, or one after which the data
     *     are not within the archive
     */
    public static long dataPosition(ByteBuffer header, ArchiveMember member, long archiveSize) {
        ByteBuffer bytes = header.slice().order(ByteOrder.LITTLE_ENDIAN);
        if (bytes.getInt(0) != SIGNATURE) {
            throw ArchiveException.damaged(member.position(), "there is no local header where one should be");
        }
        int method = member.isDeflated() ? ZipDirectoryEntry.DEFLATED : ZipDirectoryEntry.STORED;
        if (shortAt(bytes, 8) != method || (shortAt(bytes, 6) & ZipDirectoryEntry.ENCRYPTED) != 0) {
            throw ArchiveException.damaged(member.position(), "a local header contradicts the directory");
        }
        long data = member.position() + BYTES + shortAt(bytes, 26) + shortAt(bytes, 28);
        if (member.storedSize() > archiveSize - data) {
            throw ArchiveException.damaged(
                    member.position(), "the data of an entry reach beyond the end of the archive");
        }
        return data;
    }
}
