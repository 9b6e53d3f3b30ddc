package io.millrace.backend.spi.checksum;

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
        return BigEndian.bytes(crc.getValue(), length);
    }
}
