package io.millrace.gateway.archive;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A writer of tars, block by block, also of such as no tool makes. */
final class TarBytes {
    private static final int BLOCK = 512;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    TarBytes file(String name, String content) {
        return entry('0', name, content.getBytes(StandardCharsets.UTF_8));
    }

    TarBytes entry(char type, String name, byte[] data) {
        return raw(header(type, name, data.length)).data(data);
    }

    /** Adds a PAX header with records of keys and values in turn. */
    TarBytes pax(char type, String... keysAndValues) {
        StringBuilder records = new StringBuilder();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            records.append(record(keysAndValues[i], keysAndValues[i + 1]));
        }
        return entry(type, "pax", records.toString().getBytes(StandardCharsets.UTF_8));
    }

    static String record(String key, String value) {
        String rest = " " + key + "=" + value + "\n";
        int bytes = rest.getBytes(StandardCharsets.UTF_8).length;
        int length = bytes + 1;
        while (Integer.toString(length).length() + bytes != length) {
            length++;
        }
        return length + rest;
    }

    TarBytes raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    /** Adds data and fills up the block. */
    TarBytes data(byte[] data) {
        return raw(Arrays.copyOf(data, (data.length + BLOCK - 1) / BLOCK * BLOCK));
    }

    TarBytes zeros(int blocks) {
        return raw(new byte[blocks * BLOCK]);
    }

    int size() {
        return out.size();
    }

    /** Returns the archive without an end. */
    byte[] bytes() {
        return out.toByteArray();
    }

    /** Returns the archive with its end. */
    byte[] ended() {
        return zeros(2).bytes();
    }

    /** Returns a header of ustar. */
    static byte[] header(char type, String name, long size) {
        byte[] block = new byte[BLOCK];
        put(block, 0, name.getBytes(StandardCharsets.UTF_8));
        put(block, 100, "0000644");
        put(block, 124, "%011o".formatted(size));
        put(block, 136, "00000000000");
        block[156] = (byte) type;
        put(block, 257, "ustar\00000");
        return sealed(block);
    }

    static byte[] put(byte[] block, int at, String text) {
        return put(block, at, text.getBytes(StandardCharsets.UTF_8));
    }

    static byte[] put(byte[] block, int at, byte[] bytes) {
        System.arraycopy(bytes, 0, block, at, bytes.length);
        return block;
    }

    /** Writes the checksum of a header. */
    static byte[] sealed(byte[] block) {
        return sealed(block, 0, false);
    }

    static byte[] sealed(byte[] bytes, int at, boolean isSigned) {
        Arrays.fill(bytes, at + 148, at + 156, (byte) ' ');
        int sum = 0;
        for (int i = at; i < at + BLOCK; i++) {
            sum += isSigned ? bytes[i] : bytes[i] & 0xff;
        }
        put(bytes, at + 148, "%06o\0 ".formatted(sum));
        return bytes;
    }
}
