package io.millrace.backend.spi.checksum;

/**
 * Combines the CRCs of two concatenated parts without their bytes. Computes with polynomials over GF(2) modulo the
 * CRC's polynomial: the highest bit of a number stands for 1, each lower bit for one more power of x. Appending n bytes
 * multiplies a CRC by x<sup>8n</sup>.
 */
enum CrcCombiner {
    CRC32(32, 0xEDB88320L),
    CRC32C(32, 0x82F63B78L),
    CRC64NVME(64, 0x9A6C9329AC4BC9B5L);

    private final long one;
    private final long polynomial;

    CrcCombiner(int width, long polynomial) {
        this.one = 1L << (width - 1);
        this.polynomial = polynomial;
    }

    /** Returns the CRC of two concatenated parts. */
    long combine(long first, long second, long lengthOfSecond) {
        return multiply(first, powerOfX(lengthOfSecond)) ^ second;
    }

    /** Multiplies by x to the power of 8: one byte of the division. */
    private long shiftByte(long value) {
        long shifted = value;
        for (int bit = 0; bit < Byte.SIZE; bit++) {
            shifted = timesX(shifted);
        }
        return shifted;
    }

    /** Returns x to the power of 8 times {@code bytes}, by repeated squaring. */
    private long powerOfX(long bytes) {
        long power = one;
        long square = shiftByte(one);
        for (long left = bytes; left != 0; left >>>= 1) {
            if ((left & 1) != 0) {
                power = multiply(power, square);
            }
            square = multiply(square, square);
        }
        return power;
    }

    private long multiply(long a, long b) {
        long product = 0;
        long shifted = b;
        for (long bit = one; bit != 0; bit >>>= 1) {
            if ((a & bit) != 0) {
                product ^= shifted;
            }
            shifted = timesX(shifted);
        }
        return product;
    }

    private long timesX(long value) {
        return (value & 1) == 0 ? value >>> 1 : (value >>> 1) ^ polynomial;
    }
}
