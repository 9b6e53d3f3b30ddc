package io.millrace.cache.disk.segment;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Bodies are checked by pages, so that a small read checks little. */
public final class ChecksumPages {
    /** Bytes of a page; the last one of a body may be shorter. */
    public static final int SIZE = 64 << 10;

    private ChecksumPages() {}

    /** How many pages a body of {@code bytes} has. */
    public static int count(int bytes) {
        return (bytes + SIZE - 1) / SIZE;
    }

    /** Bytes of page {@code number} of a body of {@code bodyBytes}. */
    public static int length(int number, int bodyBytes) {
        return Math.min(SIZE, bodyBytes - number * SIZE);
    }

    /** CRC32C of the readable bytes. */
    public static int checksum(ByteBuf page) {
        CRC32C crc = new CRC32C();
        for (ByteBuffer part : page.nioBuffers()) {
            crc.update(part);
        }
        return (int) crc.getValue();
    }

    /** CRC32C of the remaining bytes, which stay. */
    public static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }
}
