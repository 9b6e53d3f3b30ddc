package io.millrace.backend.spi.checksum;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.Checksum;

/**
 * The CRC-64 of the NVM Express Command Set Specification, section 5.2.1.3.4, which the JDK does not have: polynomial
 * {@code ad93d23594c93659}, reflected in and out, initial value and final XOR all ones.
 *
 * <p>Sixteen bytes a step: table {@code k} holds what a byte does to the remainder {@code k} bytes later, so a step is
 * sixteen independent look-ups in 32 KiB of tables, where a byte a step would wait for the look-up before it.
 */
final class Crc64Nvme implements Checksum {
    private static final long POLYNOMIAL = Long.reverse(0xad93d23594c93659L);
    private static final int STEP = 16;
    private static final long[] TABLES = tables();

    private long remainder = -1;

    @Override
    public void update(int b) {
        remainder = TABLES[(int) (remainder ^ b) & 0xFF] ^ (remainder >>> 8);
    }

    @Override
    public void update(byte[] bytes, int offset, int length) {
        update(ByteBuffer.wrap(bytes, offset, length));
    }

    @Override
    public void update(ByteBuffer bytes) {
        ByteBuffer in = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        int wholeSteps = in.limit() - in.limit() % STEP;
        long crc = remainder;
        int at = 0;
        for (; at < wholeSteps; at += STEP) {
            // Written out in one place: through a method for each half, the compiler makes it less than half as fast.
            long first = crc ^ in.getLong(at);
            long last = in.getLong(at + 8);
            crc = TABLES[15 * 256 + (int) (first & 0xFF)]
                    ^ TABLES[14 * 256 + (int) (first >>> 8 & 0xFF)]
                    ^ TABLES[13 * 256 + (int) (first >>> 16 & 0xFF)]
                    ^ TABLES[12 * 256 + (int) (first >>> 24 & 0xFF)]
                    ^ TABLES[11 * 256 + (int) (first >>> 32 & 0xFF)]
                    ^ TABLES[10 * 256 + (int) (first >>> 40 & 0xFF)]
                    ^ TABLES[9 * 256 + (int) (first >>> 48 & 0xFF)]
                    ^ TABLES[8 * 256 + (int) (first >>> 56)]
                    ^ TABLES[7 * 256 + (int) (last & 0xFF)]
                    ^ TABLES[6 * 256 + (int) (last >>> 8 & 0xFF)]
                    ^ TABLES[5 * 256 + (int) (last >>> 16 & 0xFF)]
                    ^ TABLES[4 * 256 + (int) (last >>> 24 & 0xFF)]
                    ^ TABLES[3 * 256 + (int) (last >>> 32 & 0xFF)]
                    ^ TABLES[2 * 256 + (int) (last >>> 40 & 0xFF)]
                    ^ TABLES[256 + (int) (last >>> 48 & 0xFF)]
                    ^ TABLES[(int) (last >>> 56)];
        }
        remainder = crc;
        for (; at < in.limit(); at++) {
            update(in.get(at));
        }
        bytes.position(bytes.limit());
    }

    @Override
    public long getValue() {
        return ~remainder;
    }

    @Override
    public void reset() {
        remainder = -1;
    }

    private static long[] tables() {
        long[] tables = new long[STEP * 256];
        for (int octet = 0; octet < 256; octet++) {
            long crc = octet;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ POLYNOMIAL;
            }
            tables[octet] = crc;
        }
        for (int i = 256; i < tables.length; i++) {
            long before = tables[i - 256];
            tables[i] = tables[(int) (before & 0xFF)] ^ before >>> 8;
        }
        return tables;
    }
}
