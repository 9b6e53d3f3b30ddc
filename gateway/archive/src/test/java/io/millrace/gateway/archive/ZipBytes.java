package io.millrace.gateway.archive;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** A writer of zips of stored entries, field by field, also of such as no tool makes. */
final class ZipBytes {
    /** Fields of an entry in the directory, by their places. */
    static final int WRITER = 4;

    static final int FLAGS = 8;
    static final int METHOD = 10;
    static final int STORED_SIZE = 20;
    static final int SIZE = 24;
    static final int ATTRIBUTES = 38;
    static final int HEADER_POSITION = 42;

    /** Fields of the end record, by their places. */
    static final int ENTRIES = 10;

    static final int DIRECTORY_SIZE = 12;
    static final int DIRECTORY_POSITION = 16;

    private static final int ENTRY = 46;
    private static final int END = 22;

    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private final ByteArrayOutputStream directory = new ByteArrayOutputStream();
    private int entries;

    ZipBytes file(String name, String content) {
        return entry(name, content.getBytes(StandardCharsets.UTF_8), new byte[0], new int[0]);
    }

    /**
     * Adds an entry.
     *
     * @param extra extra fields in the directory
     * @param changes places of fields in the directory of four bytes, or of two before {@link #STORED_SIZE}, and what
     *     they are, in turn
     */
    ZipBytes entry(String name, byte[] content, byte[] extra, int... changes) {
        byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
        CRC32 crc = new CRC32();
        crc.update(content);
        ByteBuffer entry = buffer(ENTRY + nameBytes.length + extra.length);
        entry.putInt(0, 0x02014b50).putShort(6, (short) 20).putInt(16, (int) crc.getValue());
        entry.putInt(STORED_SIZE, content.length).putInt(SIZE, content.length);
        entry.putShort(28, (short) nameBytes.length).putShort(30, (short) extra.length);
        entry.putInt(HEADER_POSITION, data.size());
        entry.put(ENTRY, nameBytes).put(ENTRY + nameBytes.length, extra);
        change(entry, changes);
        directory.writeBytes(contents(entry));
        ByteBuffer header = buffer(ZipLocalHeader.BYTES + nameBytes.length);
        header.putInt(0, 0x04034b50).putShort(4, (short) 20);
        header.putShort(6, entry.getShort(FLAGS)).putShort(8, entry.getShort(METHOD));
        header.putInt(14, (int) crc.getValue()).putInt(18, content.length).putInt(22, content.length);
        header.putShort(26, (short) nameBytes.length).put(ZipLocalHeader.BYTES, nameBytes);
        data.writeBytes(contents(header));
        data.writeBytes(content);
        entries++;
        return this;
    }

    private static void change(ByteBuffer entry, int... changes) {
        for (int i = 0; i < changes.length; i += 2) {
            if (changes[i] < STORED_SIZE) {
                entry.putShort(changes[i], (short) changes[i + 1]);
            } else {
                entry.putInt(changes[i], changes[i + 1]);
            }
        }
    }

    static ByteBuffer buffer(int length) {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static byte[] contents(ByteBuffer whole) {
        byte[] contents = new byte[whole.capacity()];
        whole.get(0, contents);
        return contents;
    }

    /** Returns a zip64 field with some values. */
    static byte[] zip64(long... values) {
        ByteBuffer field = buffer(4 + values.length * Long.BYTES);
        field.putShort((short) 1).putShort((short) (values.length * Long.BYTES));
        for (long value : values) {
            field.putLong(value);
        }
        return contents(field);
    }

    int directoryPosition() {
        return data.size();
    }

    /** Returns the archive. */
    byte[] bytes() {
        return bytes("");
    }

    byte[] bytes(String comment) {
        byte[] text = comment.getBytes(StandardCharsets.US_ASCII);
        ByteBuffer end = buffer(END + text.length);
        end.putInt(0, 0x06054b50).putShort(8, (short) entries).putShort(ENTRIES, (short) entries);
        end.putInt(DIRECTORY_SIZE, directory.size()).putInt(DIRECTORY_POSITION, data.size());
        end.putShort(20, (short) text.length).put(END, text);
        return joined(data.toByteArray(), directory.toByteArray(), contents(end));
    }

    /** Returns the archive with a field of its end record changed. */
    byte[] bytesWith(int field, int value) {
        byte[] archive = bytes();
        ByteBuffer end = ByteBuffer.wrap(archive).order(ByteOrder.LITTLE_ENDIAN);
        int at = archive.length - END + field;
        if (field < DIRECTORY_SIZE) {
            end.putShort(at, (short) value);
        } else {
            end.putInt(at, value);
        }
        return archive;
    }

    /** Returns the archive as zip64, with numbers in its end record and its locator. */
    byte[] zip64Bytes(long entryCount, long directorySize, long directoryPosition, long endPosition) {
        ByteBuffer end64 = buffer(56);
        end64.putInt(0, 0x06064b50).putLong(4, 44).putLong(24, entryCount).putLong(32, entryCount);
        end64.putLong(40, directorySize).putLong(48, directoryPosition);
        ByteBuffer locator =
                buffer(20).putInt(0, 0x07064b50).putLong(8, endPosition).putInt(16, 1);
        ByteBuffer end =
                buffer(END).putInt(0, 0x06054b50).putShort(8, (short) -1).putShort(ENTRIES, (short) -1);
        end.putInt(DIRECTORY_SIZE, -1).putInt(DIRECTORY_POSITION, -1);
        return joined(data.toByteArray(), directory.toByteArray(), contents(end64), contents(locator), contents(end));
    }

    byte[] zip64Bytes() {
        return zip64Bytes(entries, directory.size(), data.size(), data.size() + directory.size());
    }

    int directorySize() {
        return directory.size();
    }

    static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            joined.writeBytes(part);
        }
        return joined.toByteArray();
    }
}
