package io.millrace.backend.spi.checksum;

/** Numbers as the values of checksums are written. */
final class BigEndian {
    private BigEndian() {}

    /** The lowest {@code length} bytes of a number. */
    static byte[] bytes(long number, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (number >>> (8 * (length - 1 - i)));
        }
        return bytes;
    }

    /** The number that up to eight bytes are. */
    static long number(byte[] bytes) {
        long number = 0;
        for (byte b : bytes) {
            number = number << 8 | (b & 0xFF);
        }
        return number;
    }
}
