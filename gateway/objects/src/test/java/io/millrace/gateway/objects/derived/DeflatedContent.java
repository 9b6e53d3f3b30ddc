package io.millrace.gateway.objects.derived;

import io.millrace.gateway.archive.ArchiveMember;
import java.io.ByteArrayOutputStream;
import java.util.OptionalInt;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Content that compresses to a half or so, with its data.
 *
 * @param content the bytes of a member
 * @param data the same, deflated
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record DeflatedContent(byte[] content, byte[] data) {
    static DeflatedContent of(int size) {
        byte[] content = new byte[size];
        Random random = new Random(size);
        for (int i = 0; i < size; i++) {
            content[i] = (byte) ('a' + random.nextInt(13));
        }
        return new DeflatedContent(content, deflated(content));
    }

    private static byte[] deflated(byte[] content) {
        Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
        deflater.setInput(content);
        deflater.finish();
        byte[] piece = new byte[8192];
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        while (!deflater.finished()) {
            data.write(piece, 0, deflater.deflate(piece));
        }
        deflater.end();
        return data.toByteArray();
    }

    /** Returns the member as an honest directory describes it. */
    ArchiveMember member() {
        return member(0, content.length, crc32());
    }

    ArchiveMember member(long position, long size, int crc32) {
        return new ArchiveMember("name", position, data.length, size, true, OptionalInt.of(crc32));
    }

    int crc32() {
        CRC32 sum = new CRC32();
        sum.update(content);
        return (int) sum.getValue();
    }
}
