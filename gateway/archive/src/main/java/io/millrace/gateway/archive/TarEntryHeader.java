package io.millrace.gateway.archive;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/**
 * The blocks before the content of an entry that is written into a tar: a file, by the format of 1988 (ustar). A PAX
 * header is before it for what that has no place for, and for records of the writer's own.
 *
 * <pre>
 * 0    100  name, or what is behind the last slash of its prefix
 * 100    8  mode, then user and group, 8 each
 * 124   12  size
 * 136   12  time of change: none, so the same entry always has the same header
 * 148    8  checksum
 * 156    1  type: 0 for a file, x for a PAX header
 * 257    8  "ustar", a NUL and the version 00
 * 345  155  prefix of the name
 * </pre>
 */
public final class TarEntryHeader {
    /** The bytes of a block; a content is filled up with zeros to whole blocks. */
    public static final int BLOCK = TarHeader.BYTES;

    /** The zeros that end a tar. */
    public static final int END = 2 * BLOCK;

    private static final int NAME_BYTES = 100;
    private static final int PREFIX_BYTES = 155;
    private static final int PREFIX = 345;
    private static final int SIZE = 124;
    private static final int SIZE_DIGITS = 11;
    private static final int CHECKSUM = 148;
    private static final int CHECKSUM_DIGITS = 6;
    private static final int TYPE = 156;

    /** The largest size that eleven octal digits have. */
    private static final long LARGEST = (1L << (3 * SIZE_DIGITS)) - 1;

    private static final byte[] PAX_NAME = "PaxHeaders/entry".getBytes(StandardCharsets.US_ASCII);

    /** A block with the fields that are the same in all. */
    private static final byte[] TEMPLATE = template();

    private TarEntryHeader() {}

    /**
     * Returns the blocks before the content of a file. A NUL in its name becomes an underscore, as no tar has one, and
     * so does a slash at its end: readers take such a file for a folder, and some of them its content for entries.
     */
    public static byte[] of(String name, long size) {
        return of(name, size, Map.of());
    }

    /**
     * Returns the blocks before the content of a file.
     *
     * @param records of the PAX header, by keys of ASCII
     */
    public static byte[] of(String name, long size, Map<String, String> records) {
        String file = name.endsWith("/") ? name.substring(0, name.length() - 1) + '_' : name;
        byte[] path = file.replace('\0', '_').getBytes(StandardCharsets.UTF_8);
        int prefix = prefixOf(path);
        ByteArrayOutputStream pax = new ByteArrayOutputStream();
        if (prefix < 0) {
            add(pax, "path", path);
        }
        if (size > LARGEST) {
            add(pax, "size", Long.toString(size).getBytes(StandardCharsets.US_ASCII));
        }
        records.forEach((key, value) -> add(pax, key, value.getBytes(StandardCharsets.UTF_8)));
        byte[] header = pax.size() == 0 ? new byte[BLOCK] : new byte[2 * BLOCK + pax.size() + padding(pax.size())];
        int own = header.length - BLOCK;
        if (own > 0) {
            write(header, 0, PAX_NAME, 0, pax.size(), 'x');
            System.arraycopy(pax.toByteArray(), 0, header, BLOCK, pax.size());
        }
        byte[] shown = prefix < 0 ? Arrays.copyOf(path, Math.min(path.length, NAME_BYTES)) : path;
        write(header, own, shown, Math.max(0, prefix), Math.min(size, LARGEST), '0');
        return header;
    }

    /** Returns the zeros that are behind a content of this size. */
    public static int padding(long size) {
        return (int) (-size & (BLOCK - 1));
    }

    /**
     * Returns the length of the prefix by which a name finds room, 0 if it needs none; -1 if it finds none, or is not
     * of ASCII, which readers of that format may take for another encoding.
     */
    private static int prefixOf(byte[] path) {
        for (byte character : path) {
            if (character < 0) {
                return -1;
            }
        }
        if (path.length <= NAME_BYTES) {
            return 0;
        }
        int last = Math.min(PREFIX_BYTES, path.length - 2);
        for (int slash = Math.max(1, path.length - NAME_BYTES - 1); slash <= last; slash++) {
            if (path[slash] == '/') {
                return slash;
            }
        }
        return -1;
    }

    /** Adds a record, whose length counts its own digits. */
    private static void add(ByteArrayOutputStream records, String key, byte[] value) {
        int rest = key.length() + value.length + " =\n".length();
        int length = rest + Integer.toString(rest).length();
        length = rest + Integer.toString(length).length();
        records.writeBytes((length + " " + key + "=").getBytes(StandardCharsets.US_ASCII));
        records.writeBytes(value);
        records.write('\n');
    }

    private static void write(byte[] to, int at, byte[] path, int prefix, long size, char type) {
        System.arraycopy(TEMPLATE, 0, to, at, BLOCK);
        int name = prefix == 0 ? 0 : prefix + 1;
        System.arraycopy(path, name, to, at, path.length - name);
        System.arraycopy(path, 0, to, at + PREFIX, prefix);
        digits(to, at + SIZE, SIZE_DIGITS, size);
        to[at + TYPE] = (byte) type;
        long sum = 0;
        for (int i = at; i < at + BLOCK; i++) {
            sum += to[i] & 0xff;
        }
        digits(to, at + CHECKSUM, CHECKSUM_DIGITS, sum);
        to[at + CHECKSUM + CHECKSUM_DIGITS] = 0;
    }

    private static void digits(byte[] to, int at, int count, long number) {
        long left = number;
        for (int i = at + count - 1; i >= at; i--) {
            to[i] = (byte) ('0' + (left & 7));
            left >>>= 3;
        }
    }

    private static byte[] template() {
        byte[] block = new byte[BLOCK];
        put(block, 100, "0000644\0" + "0000000\0" + "0000000\0");
        put(block, 136, "00000000000\0");
        // As long as the sum is counted it has spaces in its place; one of them stays.
        put(block, CHECKSUM, "        ");
        put(block, 257, "ustar\0" + "00");
        return block;
    }

    private static void put(byte[] block, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, block, at, bytes.length);
    }
}
