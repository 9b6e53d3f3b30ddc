package io.millrace.gateway.archive;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.zip.Zip64Mode;

/** Archives with random damage: flipped bits, numbers that lie, cuts, blocks that are lost, doubled or moved. */
final class DamagedArchives {
    private static final int BLOCK = 512;
    private static final String LETTERS = "ab.\u00e4\u65e5";
    private static final String BYTES = "0179 \0/.=\n\u0080\u00ff";
    private static final long[] NUMBERS = {
        0, 1, -1, 46, 511, 512, 0xffff, 0x10000, 0x7fffffff, 0xffffffffL, 0x100000000L, Long.MAX_VALUE, Long.MIN_VALUE
    };

    private final Random random;
    private final List<byte[]> tars = new ArrayList<>();
    private final List<byte[]> zips = new ArrayList<>();

    DamagedArchives(long seed) throws IOException {
        random = new Random(seed);
        for (int i = 0; i < 4; i++) {
            Map<String, byte[]> files = RandomFiles.of(random, 4, 120, LETTERS);
            files.replaceAll((name, content) -> Arrays.copyOf(content, Math.min(content.length, 700)));
            tars.add(CommonsArchives.tar(files, TarArchiveOutputStream.LONGFILE_GNU, false));
            tars.add(CommonsArchives.tar(files, TarArchiveOutputStream.LONGFILE_POSIX, true));
            for (Zip64Mode zip64 : List.of(Zip64Mode.Never, Zip64Mode.Always)) {
                zips.add(CommonsArchives.zip(files, zip64));
            }
        }
        tars.add(allKinds());
        zips.add(new ZipBytes()
                .file("a", "1".repeat(600))
                .entry("b", new byte[9], ZipBytes.zip64(9, 9, 631), 20, -1, 24, -1, 42, -1)
                .zip64Bytes());
    }

    private static byte[] allKinds() {
        byte[] sparse = TarBytes.header('S', "sparse", 3);
        sparse[482] = 1;
        return new TarBytes()
                .pax('g', "comment", "global", "size", "")
                .entry('5', "folder/", new byte[0])
                .file("folder/a", "content")
                .entry('1', "hard", new byte[0])
                .entry('K', "././@LongLink", "target".getBytes(StandardCharsets.US_ASCII))
                .entry('2', "soft", new byte[0])
                .raw(TarBytes.sealed(sparse))
                .raw(new byte[BLOCK])
                .data(new byte[3])
                .pax('x', "GNU.sparse.major", "1", "path", "s")
                .file("s", "map and data")
                .pax('x', "path", "long/name", "size", "4")
                .file("short", "data")
                .entry('L', "././@LongLink", "another/long/name\0".getBytes(StandardCharsets.US_ASCII))
                .file("another", "x")
                .ended();
    }

    byte[] next(ArchiveFormat format) {
        List<byte[]> whole = format == ArchiveFormat.TAR ? tars : zips;
        byte[] archive = whole.get(random.nextInt(whole.size())).clone();
        for (int i = random.nextInt(4); i >= 0 && archive.length > BLOCK; i--) {
            archive = damaged(archive, format);
        }
        if (format == ArchiveFormat.TAR && random.nextBoolean()) {
            sealHeaders(archive);
        }
        return archive;
    }

    private byte[] damaged(byte[] archive, ArchiveFormat format) {
        int at = place(archive, format);
        switch (random.nextInt(8)) {
            case 0 -> archive[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> archive[at] = (byte) BYTES.charAt(random.nextInt(BYTES.length()));
            case 2 -> putNumber(archive, at);
            case 3 -> {
                return Arrays.copyOf(archive, random.nextInt(archive.length));
            }
            case 4 -> {
                int from = random.nextInt(archive.length / BLOCK) * BLOCK;
                int to = random.nextInt(archive.length / BLOCK) * BLOCK;
                System.arraycopy(archive, from, archive, to, BLOCK);
            }
            case 5 -> {
                return joined(archive, at, at + random.nextInt(Math.min(archive.length - at, 600)) + 1);
            }
            case 6 -> {
                return joined(archive, at, Math.max(0, at - random.nextInt(600)));
            }
            default -> swap(archive, at);
        }
        return archive;
    }

    /** Prefers what is parsed: fields of a header, and the end of a zip. */
    private int place(byte[] archive, ArchiveFormat format) {
        if (format == ArchiveFormat.ZIP) {
            return archive.length - 1 - random.nextInt(random.nextBoolean() ? 120 : archive.length);
        }
        int block = random.nextInt(archive.length / BLOCK) * BLOCK;
        int[] fields = {0, 124, 148, 156, 257, 345, 482, 504};
        int at = block + fields[random.nextInt(fields.length)] + random.nextInt(12);
        return Math.min(random.nextInt(3) == 0 ? block + random.nextInt(BLOCK) : at, archive.length - 1);
    }

    private void putNumber(byte[] archive, int at) {
        long number = NUMBERS[random.nextInt(NUMBERS.length)] + random.nextInt(3) - 1;
        int length = 1 << random.nextInt(4);
        for (int i = 0; i < length && at + i < archive.length; i++) {
            archive[at + i] = (byte) (number >> (8 * i));
        }
    }

    /** Cuts a part out, or doubles it if it begins after its end. */
    private static byte[] joined(byte[] archive, int to, int from) {
        return ZipBytes.joined(Arrays.copyOf(archive, to), Arrays.copyOfRange(archive, from, archive.length));
    }

    private void swap(byte[] archive, int at) {
        int other = random.nextInt(archive.length);
        byte one = archive[at];
        archive[at] = archive[other];
        archive[other] = one;
    }

    /** Makes checksums right, so that what is behind them is read. */
    private static void sealHeaders(byte[] archive) {
        for (int at = 0; at + BLOCK <= archive.length; at += BLOCK) {
            if (archive[at + 257] == 'u' && archive[at + 258] == 's') {
                TarBytes.sealed(archive, at, false);
            }
        }
    }
}
