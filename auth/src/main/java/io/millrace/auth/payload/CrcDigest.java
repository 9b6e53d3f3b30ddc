package io.millrace.auth.payload;

import java.nio.ByteBuffer;
import java.util.zip.Checksum;

/** A cyclic redundancy check of four or eight bytes. */
final class CrcDigest implements ChecksumDigest {
    private final Checksum crc;
    private final int length;

    CrcDigest(Checksum crc, int length) {
        this.crc = crc;
        this.length = length;
    }

    @Override
    public void update(ByteBuffer bytes) {
        crc.update(bytes);
    }

    @Override
    public byte[] bytes() {
        byte[] value = new byte[length];
        for (int i = 0; i < length; i++) {
            value[i] = (byte) (crc.getValue() >>> (8 * (length - 1 - i)));
        }
        return value;
    }
}
