package io.millrace.backend.spi.checksum;

import java.nio.ByteBuffer;
import java.util.zip.Checksum;

/** A cyclic redundancy check of four or eight bytes. */
record CrcDigest(Checksum crc, int length) implements ChecksumDigest {
    @Override
    public void update(ByteBuffer bytes) {
        crc.update(bytes);
    }

    @Override
    public byte[] bytes() {
        return BigEndian.bytes(crc.getValue(), length);
    }
}
