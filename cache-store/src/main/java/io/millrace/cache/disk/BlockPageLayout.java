package io.millrace.cache.disk;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Divides a block into pages of one size, each with a checksum of its own, so that a small read verifies only the pages
 * that it covers.
 */
public final class BlockPageLayout {
    /** Bytes of a page; the last one of a body may be shorter. */
    public static final int SIZE = 64 << 10;

    private BlockPageLayout() {}

    /** Returns the number of pages of a body. */
    public static int count(int bytes) {
        return (bytes + SIZE - 1) / SIZE;
    }

    /** Returns the bytes of page {@code number} of a body of {@code bodyBytes}. */
    public static int length(int number, int bodyBytes) {
        return Math.min(SIZE, bodyBytes - number * SIZE);
    }

    /** Returns the CRC32C of the readable bytes. */
    public static int checksum(ByteBuf page) {
        CRC32C crc = new CRC32C();
        for (ByteBuffer part : page.nioBuffers()) {
            crc.update(part);
        }
        return (int) crc.getValue();
    }

    /** Returns the CRC32C of the remaining bytes, without consuming them. */
    public static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }
}
