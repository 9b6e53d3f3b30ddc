package io.millrace.gateway.archive;

import static io.millrace.gateway.archive.ZipEnd.intAt;
import static io.millrace.gateway.archive.ZipEnd.shortAt;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a zip's central directory, of which these fields are read. Of a size or position that has no room in it,
 * all bits are set, and the zip64 field among the extra fields has it, in the order below.
 *
 * <pre>
 * 0   4  signature          28  2  length of the name
 * 5   1  writer             30  2  length of the extra fields
 * 8   2  flags              32  2  length of the comment
 * 10  2  method             38  4  external attributes
 * 16  4  CRC-32             42  4  position of the local header
 * 20  4  size of the data   46     name, extra fields, comment
 * 24  4  size of the content
 * </pre>
 */
record ZipDirectoryEntry(ByteBuffer bytes, long size, long storedSize, long headerPosition) {
    static final int BYTES = 46;
    static final int STORED = 0;
    static final int DEFLATED = 8;

    /** Flags: encrypted, strongly encrypted, and fields masked. */
    static final int ENCRYPTED = 1 | (1 << 6) | (1 << 13);

    private static final int SIGNATURE = 0x02014b50;
    private static final int ZIP64_FIELD = 1;
    private static final int FIELD_HEADER_BYTES = 4;
    private static final long IN_ZIP64_FIELD = 0xffff_ffffL;

    /** Writers whose external attributes have the mode of a file in their upper half. */
    private static final int UNIX = 3;

    private static final int MACOS = 19;

    /** Types of files in a mode. */
    private static final int TYPES = 0xf000;

    private static final int FOLDER = 0x4000;
    private static final int REGULAR = 0x8000;
    private static final int LINK = 0xa000;

    /** Returns the length of the entry that begins with these bytes; -1 if there is none. */
    static int lengthOf(ByteBuffer bytes) {
        return bytes.getInt(0) == SIGNATURE ? BYTES + shortAt(bytes, 28) + shortAt(bytes, 30) + shortAt(bytes, 32) : -1;
    }

    /**
     * Reads an entry.
     *
     * @param bytes all of it
     * @param position its place in the archive
     */
    static ZipDirectoryEntry of(ByteBuffer bytes, long position) {
        ByteBuffer zip64 = zip64Field(bytes);
        long size = wide(intAt(bytes, 24), zip64, position);
        long storedSize = wide(intAt(bytes, 20), zip64, position);
        return new ZipDirectoryEntry(bytes, size, storedSize, wide(intAt(bytes, 42), zip64, position));
    }

    private static long wide(long value, ByteBuffer zip64, long position) {
        if (value != IN_ZIP64_FIELD) {
            return value;
        }
        if (zip64.remaining() < Long.BYTES) {
            throw ArchiveException.damaged(position, "an entry has no zip64 field where one should be");
        }
        return zip64.getLong();
    }

    /** Returns what is in the zip64 field. What follows the first field that does not fit is no field: some fill up. */
    private static ByteBuffer zip64Field(ByteBuffer bytes) {
        int at = BYTES + shortAt(bytes, 28);
        int end = at + shortAt(bytes, 30);
        while (end - at >= FIELD_HEADER_BYTES) {
            int length = shortAt(bytes, at + 2);
            int data = at + FIELD_HEADER_BYTES;
            if (length > end - data) {
                break;
            }
            if (shortAt(bytes, at) == ZIP64_FIELD) {
                return bytes.slice(data, length).order(ByteOrder.LITTLE_ENDIAN);
            }
            at = data + length;
        }
        return ByteBuffer.allocate(0);
    }

    int nameLength() {
        return shortAt(bytes, 28);
    }

    MemberName name(int longest) {
        byte[] name = new byte[nameLength()];
        bytes.get(BYTES, name);
        return MemberName.of(name, 0, name.length, longest);
    }

    boolean isDeflated() {
        return method() == DEFLATED;
    }

    int crc32() {
        return bytes.getInt(16);
    }

    /** Returns why the entry is no member, but for its name. */
    @Nullable HiddenReason hidden() {
        int type = type();
        if (type == FOLDER || (nameLength() > 0 && bytes.get(BYTES + nameLength() - 1) == '/')) {
            return HiddenReason.FOLDER;
        }
        if (type == LINK) {
            return HiddenReason.LINK;
        }
        if (type != 0 && type != REGULAR) {
            return HiddenReason.DEVICE;
        }
        if ((shortAt(bytes, 8) & ENCRYPTED) != 0) {
            return HiddenReason.ENCRYPTED;
        }
        return method() == STORED || isDeflated() ? null : HiddenReason.COMPRESSION;
    }

    private int method() {
        return shortAt(bytes, 10);
    }

    private int type() {
        int writer = bytes.get(5);
        return writer == UNIX || writer == MACOS ? shortAt(bytes, 40) & TYPES : 0;
    }
}
