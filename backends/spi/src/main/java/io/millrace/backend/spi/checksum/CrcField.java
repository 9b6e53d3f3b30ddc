package io.millrace.backend.spi.checksum;

/**
 * The arithmetic of a reflected CRC: polynomials over one bit, modulo the CRC's own. The highest bit of a number stands for 1,
 * each lower bit for one more power of x. Appending n bytes multiplies a CRC by x<sup>8n</sup>, so that the CRC of a whole
 * follows from those of its pieces without reading them again.
 */
enum CrcField {
    CRC32(32, 0xEDB88320L),
    CRC32C(32, 0x82F63B78L),
    CRC64NVME(64, 0x9A6C9329AC4BC9B5L);

    private final long one;
    private final long polynomial;

    CrcField(int width, long polynomial) {
        this.one = 1L << (width - 1);
        this.polynomial = polynomial;
    }

    /** The CRC of two pieces one behind the other. */
    long combine(long first, long second, long lengthOfSecond) {
        return multiply(first, powerOfX(lengthOfSecond)) ^ second;
    }

    /** One byte of zeros, or any byte that was folded into the low end, taken through the division. */
    private long shiftByte(long value) {
        long shifted = value;
        for (int bit = 0; bit < Byte.SIZE; bit++) {
            shifted = timesX(shifted);
        }
        return shifted;
    }

    /** x to the power of 8 times {@code bytes}, by squaring. */
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
