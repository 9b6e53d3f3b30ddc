package io.millrace.gateway.archive;

import java.nio.ByteBuffer;

/**
 * The record at the end of a zip, which says where the central directory is; of a zip64 both records and the locator
 * between them.
 *
 * <pre>
 * end record               zip64 locator            zip64 end record
 * 0   4  signature         0   4  signature         0   4  signature
 * 4   2  number of disk    4   4  number of disk    16  4  number of disk
 * 6   2  directory's disk  8   8  end record's at   20  4  directory's disk
 * 8   2  entries on disk   16  4  disks             24  8  entries on disk
 * 10  2  entries                                    32  8  entries
 * 12  4  directory's size                           40  8  directory's size
 * 16  4  directory's at                             48  8  directory's at
 * 20  2  comment's size
 * </pre>
 *
 * @param position the place of the record in the archive; the directory ends there
 * @param entries the number of entries, modulo 65,536 if it is no zip64
 * @param directorySize the bytes of the directory
 * @param directoryPosition where the directory begins, as the archive says
 */
record ZipEnd(long position, long entries, long directorySize, long directoryPosition, boolean isZip64) {
    static final int ZIP64_BYTES = 56;

    private static final int SIGNATURE = 0x06054b50;
    private static final int BYTES = 22;
    private static final int LOCATOR_SIGNATURE = 0x07064b50;
    private static final int LOCATOR_BYTES = 20;
    private static final int ZIP64_SIGNATURE = 0x06064b50;
    private static final int MAX_SHORT = 0xffff;
    private static final long MAX_INT = 0xffff_ffffL;

    /** The end of a zip in which its end record is, with the longest comment, and the locator before it. */
    static final int MAX_TAIL_BYTES = LOCATOR_BYTES + BYTES + MAX_SHORT;

    /** Returns the place in a tail of the last end record whose comment fits into it; -1 if there is none. */
    static int find(ByteBuffer tail) {
        for (int i = tail.limit() - BYTES; i >= 0; i--) {
            if (tail.getInt(i) == SIGNATURE && i + BYTES + shortAt(tail, i + 20) <= tail.limit()) {
                return i;
            }
        }
        return -1;
    }

    /** Reads the end record at a place in a tail that begins at a position of the archive. */
    static ZipEnd of(ByteBuffer tail, int at, long tailPosition) {
        int disk = shortAt(tail, at + 4);
        if (disk != shortAt(tail, at + 6) || (disk != 0 && disk != MAX_SHORT)) {
            throw split();
        }
        return new ZipEnd(
                tailPosition + at, shortAt(tail, at + 10), intAt(tail, at + 12), intAt(tail, at + 16), false);
    }

    /**
     * Returns where the zip64 end record is, if a field of this one has no room for what it should say; -1 otherwise.
     *
     * @param at the place of this record in the tail
     */
    long zip64Position(ByteBuffer tail, int at) {
        boolean isFull = entries == MAX_SHORT || directorySize == MAX_INT || directoryPosition == MAX_INT;
        int locator = at - LOCATOR_BYTES;
        if (!isFull || locator < 0 || tail.getInt(locator) != LOCATOR_SIGNATURE) {
            return -1;
        }
        if (tail.getInt(locator + 16) > 1) {
            throw split();
        }
        long found = tail.getLong(locator + 8);
        if (found < 0 || found > position - LOCATOR_BYTES - ZIP64_BYTES) {
            throw ArchiveException.damaged(
                    position - LOCATOR_BYTES, "the locator of the zip64 end record leads nowhere");
        }
        return found;
    }

    /** Reads the zip64 end record at a place in some bytes. */
    static ZipEnd ofZip64(ByteBuffer bytes, int at, long position) {
        if (bytes.getInt(at) != ZIP64_SIGNATURE) {
            throw ArchiveException.damaged(position, "there is no zip64 end record where one should be");
        }
        if (bytes.getInt(at + 16) != 0 || bytes.getInt(at + 20) != 0) {
            throw split();
        }
        return new ZipEnd(
                position, bytes.getLong(at + 32), bytes.getLong(at + 40), bytes.getLong(at + 48), true);
    }

    /** Returns where the directory begins. */
    long directoryStart() {
        return position - directorySize;
    }

    /** Returns how many bytes are before the zip in its file, by which all its positions are too small. */
    long prefix() {
        return directoryStart() - directoryPosition;
    }

    void check(ArchiveLimits limits) {
        if (directorySize < 0 || directorySize > position || directoryPosition < 0 || prefix() < 0) {
            throw ArchiveException.damaged(position, "the directory is not before its end record");
        }
        if (entries < 0 || entries > directorySize / ZipDirectoryEntry.BYTES) {
            throw ArchiveException.damaged(position, "the directory is too small for its number of entries");
        }
        if (entries > limits.members()) {
            throw ArchiveException.tooLarge(
                    position,
                    "the archive has %d entries, and at most %d are read".formatted(entries, limits.members()));
        }
        if (directorySize > limits.directoryBytes()) {
            throw ArchiveException.tooLarge(
                    position,
                    "the directory has %d bytes, and at most %d are read"
                            .formatted(directorySize, limits.directoryBytes()));
        }
    }

    /** Returns whether the directory has as many entries as its end record says. */
    boolean hasCount(int count) {
        return entries == (isZip64 ? count : count & MAX_SHORT);
    }

    static int shortAt(ByteBuffer bytes, int at) {
        return bytes.getShort(at) & MAX_SHORT;
    }

    static long intAt(ByteBuffer bytes, int at) {
        return bytes.getInt(at) & MAX_INT;
    }

    private static ArchiveException split() {
        return ArchiveException.unsupported("the archive is one of several files of a split zip: join them first");
    }
}
