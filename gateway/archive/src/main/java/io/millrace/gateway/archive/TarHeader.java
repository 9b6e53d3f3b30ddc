package io.millrace.gateway.archive;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A header block of a tar, of which these fields are read. Numbers are octal digits; larger ones are binary, which the
 * highest bit of their first byte marks (GNU tar).
 *
 * <pre>
 * 0    100  name
 * 124   12  size
 * 148    8  checksum: the sum of all bytes, with spaces in its place
 * 156    1  type
 * 257    6  magic: "ustar" and a NUL where there is a prefix; "ustar" and a space in GNU tar's own format; none in v7
 * 345  155  prefix of the name
 * 482    1  whether blocks with more of a sparse file's map follow (GNU tar)
 * </pre>
 */
final class TarHeader {
    static final int BYTES = 512;

    private static final byte[] USTAR = "ustar\0".getBytes(StandardCharsets.US_ASCII);
    private static final int MAGIC = 257;
    private static final int CHECKSUM = 148;
    private static final int CHECKSUM_BYTES = 8;

    private final byte[] block;

    /** Creates the header of a block, which it reads from then on. */
    TarHeader(byte[] block) {
        this.block = block;
    }

    byte type() {
        return block[156];
    }

    /** Returns whether the entry is a file, as far as its type tells. */
    boolean isRegular() {
        return type() == '0' || type() == 0 || type() == '7';
    }

    /** Returns the size field; -1 if it is no number of a size. */
    long size() {
        return number(124, 12);
    }

    boolean isMapContinued() {
        return block[482] != 0;
    }

    byte[] name() {
        byte[] name = text(0, 100);
        byte[] prefix = hasPrefix() ? text(345, 155) : new byte[0];
        if (prefix.length == 0) {
            return name;
        }
        byte[] joined = Arrays.copyOf(prefix, prefix.length + 1 + name.length);
        joined[prefix.length] = '/';
        System.arraycopy(name, 0, joined, prefix.length + 1, name.length);
        return joined;
    }

    private boolean hasPrefix() {
        return Arrays.equals(block, MAGIC, MAGIC + USTAR.length, USTAR, 0, USTAR.length);
    }

    /** Returns whether the checksum is that of the block. Some writers took bytes as signed when they summed them. */
    boolean hasRightChecksum() {
        long unsigned = 0;
        long signed = 0;
        for (int i = 0; i < BYTES; i++) {
            byte value = i >= CHECKSUM && i < CHECKSUM + CHECKSUM_BYTES ? (byte) ' ' : block[i];
            unsigned += value & 0xff;
            signed += value;
        }
        long checksum = number(CHECKSUM, CHECKSUM_BYTES);
        return checksum == unsigned || (checksum == signed && checksum >= 0);
    }

    private byte[] text(int from, int length) {
        int end = from;
        while (end < from + length && block[end] != 0) {
            end++;
        }
        return Arrays.copyOfRange(block, from, end);
    }

    private long number(int from, int length) {
        if (block[from] < 0) {
            return binary(from, length);
        }
        int end = from + length;
        int i = from;
        while (i < end && block[i] == ' ') {
            i++;
        }
        long value = 0;
        while (i < end && block[i] >= '0' && block[i] <= '7') {
            value = value * 8 + block[i] - '0';
            i++;
        }
        return i == end || block[i] == 0 || block[i] == ' ' ? value : -1;
    }

    /** Negative numbers have the second highest bit too, so that they are too large here. */
    private long binary(int from, int length) {
        long value = block[from] & 0x7f;
        for (int i = from + 1; i < from + length; i++) {
            if ((value >>> (Long.SIZE - 1 - Byte.SIZE)) != 0) {
                return -1;
            }
            value = (value << Byte.SIZE) | (block[i] & 0xff);
        }
        return value;
    }
}
