package io.millrace.backend.spi.checksum;

/** Converts between numbers and big-endian bytes, the form of checksum values. */
final class BigEndian {
    private BigEndian() {}

    /** Returns the lowest {@code length} bytes of a number. */
    static byte[] bytes(long number, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (number >>> (8 * (length - 1 - i)));
        }
        return bytes;
    }

    /** Returns the number of up to eight bytes. */
    static long number(byte[] bytes) {
        long number = 0;
        for (byte b : bytes) {
            number = number << 8 | (b & 0xFF);
        }
        return number;
    }
}
