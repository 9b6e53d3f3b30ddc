package io.millrace.gateway.archive;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the scanner with tars that are made header by header. */
class TarScannerTest {
    private static final int BLOCK = 512;

    @Test
    void givesNamePositionAndSize() {
        byte[] tar = new TarBytes()
                .file("a/1.jpg", "first")
                .file("./b", "")
                .file("c", "third")
                .ended();

        Scan scan = scan(tar);

        assertThat(scan.members())
                .containsExactly(
                        ArchiveMember.ofTar("a/1.jpg", 512, 5),
                        ArchiveMember.ofTar("b", 1536, 0),
                        ArchiveMember.ofTar("c", 2048, 5));
        assertThat(scan.failure()).isNull();
        assertThat(scan.hidden()).isEmpty();
    }

    @Test
    void hopsOverData() {
        byte[] tar = new TarBytes()
                .entry('0', "large", new byte[1 << 20])
                .file("small", "x")
                .ended();

        Scan scan = scan(tar);

        assertThat(scan.names()).containsExactly("large", "small");
        assertThat(scan.read()).isEqualTo(4 * BLOCK);
    }

    @Test
    void skipsDataThatStreamsThroughIt() {
        byte[] tar = new TarBytes()
                .entry('0', "large", new byte[100_000])
                .pax('x', "path", "second")
                .file("s", "x")
                .ended();

        for (int longest : List.of(1, 2, 511, 512, 513, 4096, 1 << 20)) {
            assertThat(Scan.inPieces(ArchiveFormat.TAR, tar, new Random(longest), longest)
                            .outcome())
                    .isEqualTo(scan(tar).outcome());
        }
    }

    @Test
    void givesMembersBeforeTheEnd() {
        byte[] tar = new TarBytes().file("a", "1").file("b", "2").ended();
        MemberIndexBuilder members = new MemberIndexBuilder(ArchiveFormat.TAR, ArchiveLimits.defaults());
        ArchiveScanner scanner = ArchiveScanner.of(ArchiveFormat.TAR, tar.length, ArchiveLimits.defaults(), members);

        scanner.accept(ByteBuffer.wrap(tar, 0, BLOCK), 0);

        assertThat(members.build().find("a")).isZero();
        assertThat(scanner.isDone()).isFalse();
        assertThat(scanner.wanted()).isEqualTo(2 * BLOCK);
    }

    @Test
    void refusesBytesBehindTheWantedOnes() {
        byte[] tar = new TarBytes().file("a", "1").ended();
        ArchiveScanner scanner = ArchiveScanner.of(
                ArchiveFormat.TAR,
                tar.length,
                ArchiveLimits.defaults(),
                new MemberIndexBuilder(ArchiveFormat.TAR, ArchiveLimits.defaults()));

        assertThatThrownBy(() -> scanner.accept(ByteBuffer.wrap(tar), 1)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({"1f8b0800, gzip, 600", "1f8b0800, gzip, 40", "28b52ffd, zstd, 600"})
    void compressedTarIsSaidToBeOne(String magic, String format, int length) {
        byte[] compressed = Arrays.copyOf(HexFormat.of().parseHex(magic), length);

        ArchiveException failure = requireNonNull(scan(compressed).failure());

        assertThat(failure.kind()).isEqualTo(ArchiveException.Kind.UNSUPPORTED);
        assertThat(failure)
                .hasMessageContaining("compressed as a whole (" + format)
                .hasMessageContaining("decompress");
    }

    @Test
    void joinsPrefixAndName() {
        byte[] header = TarBytes.put(TarBytes.header('0', "name", 0), 345, "some/prefix");

        assertThat(scan(new TarBytes().raw(TarBytes.sealed(header)).ended()).names())
                .containsExactly("some/prefix/name");
    }

    @Test
    void gnuTarsOwnFormatHasNoPrefix() {
        byte[] header = TarBytes.put(TarBytes.header('0', "name", 0), 345, "15023654211");
        TarBytes.put(header, 257, "ustar  \0");

        assertThat(scan(new TarBytes().raw(TarBytes.sealed(header)).ended()).names())
                .containsExactly("name");
    }

    @Test
    void readsHeadersOfV7() {
        byte[] header = TarBytes.put(TarBytes.header('\0', "old", 3), 257, new byte[8]);

        assertThat(scan(new TarBytes()
                                .raw(TarBytes.sealed(header))
                                .data(new byte[3])
                                .ended())
                        .members())
                .containsExactly(ArchiveMember.ofTar("old", 512, 3));
    }

    @Test
    void readsLongNamesOfGnuTar() {
        String name = "d/".repeat(200) + "file";
        byte[] tar = new TarBytes()
                .entry('L', "././@LongLink", (name + "\0").getBytes(StandardCharsets.US_ASCII))
                .file(name.substring(0, 100), "x")
                .file("next", "y")
                .ended();

        assertThat(scan(tar).names()).containsExactly(name, "next");
    }

    @Test
    void readsNamesAndSizesOfPax() {
        byte[] header = TarBytes.header('0', "short", 0);
        byte[] tar = new TarBytes()
                .pax('x', "mtime", "1.5", "path", "päth", "size", "3")
                .raw(header)
                .data(new byte[3])
                .file("next", "y")
                .ended();

        Scan scan = scan(tar);

        assertThat(scan.names()).containsExactly("päth", "next");
        assertThat(scan.members().get(0).size()).isEqualTo(3);
    }

    @Test
    void lastRecordOfAKeyCounts() {
        byte[] tar = new TarBytes()
                .pax('x', "path", "one", "path", "two")
                .file("f", "")
                .pax('x', "path", "three", "path", "")
                .file("header", "")
                .ended();

        assertThat(scan(tar).names()).containsExactly("two", "header");
    }

    @Test
    void globalRecordsHoldUntilTheNextOnes() {
        byte[] tar = new TarBytes()
                .pax('g', "size", "1", "comment", "x")
                .raw(TarBytes.header('0', "a", 0))
                .data(new byte[1])
                .pax('x', "size", "2")
                .raw(TarBytes.header('0', "b", 0))
                .data(new byte[2])
                .raw(TarBytes.header('0', "c", 0))
                .data(new byte[1])
                .pax('g', "size", "")
                .file("d", "four")
                .ended();

        Scan scan = scan(tar);

        assertThat(scan.failure()).isNull();
        assertThat(scan.members()).extracting(ArchiveMember::size).containsExactly(1L, 2L, 1L, 4L);
    }

    @Test
    void anArchiveMayEndAfterGlobalRecords() {
        Scan scan = scan(new TarBytes().pax('g', "comment", "an empty commit").ended());

        assertThat(scan.failure()).isNull();
        assertThat(scan.members()).isEmpty();
    }

    /** As GNU tar writes sizes of 8 GiB and more. The archive is not made: bytes are zeros but for two headers. */
    @Test
    void readsBinarySizes() {
        long size = 1L << 40;
        byte[] first = TarBytes.header('0', "large", 0);
        TarBytes.put(
                first,
                124,
                ByteBuffer.allocate(12).put((byte) 0x80).putLong(4, size).array());
        TarBytes.sealed(first);
        byte[] second = TarBytes.header('0', "behind", 0);
        Scan.Source source = (position, into) -> {
            byte[] header = position == 0 ? first : position == BLOCK + size ? second : new byte[BLOCK];
            System.arraycopy(header, 0, into, 0, into.length);
        };

        Scan scan = Scan.of(ArchiveFormat.TAR, source, size + 4 * BLOCK, ArchiveLimits.defaults());

        assertThat(scan.members())
                .containsExactly(
                        ArchiveMember.ofTar("large", BLOCK, size), ArchiveMember.ofTar("behind", size + 2 * BLOCK, 0));
        assertThat(scan.read()).isEqualTo(4 * BLOCK);
    }

    @Test
    void acceptsChecksumsOfSignedBytes() {
        byte[] header = TarBytes.sealed(TarBytes.header('0', "\u00e4\u00f6", 0), 0, true);

        assertThat(scan(new TarBytes().raw(header).ended()).names()).containsExactly("\u00e4\u00f6");
    }

    @Test
    void hidesOtherThanFiles() {
        byte[] sparse = TarBytes.header('S', "sparse", 3);
        sparse[482] = 1;
        byte[] map = new byte[BLOCK];
        map[504] = 1;
        byte[] tar = new TarBytes()
                .entry('5', "folder/", new byte[0])
                .entry('0', "old-folder/", new byte[0])
                .entry('1', "hard", new byte[0])
                .entry('K', "././@LongLink", "target".getBytes(StandardCharsets.US_ASCII))
                .entry('2', "soft", new byte[0])
                .entry('3', "device", new byte[0])
                .entry('6', "pipe", new byte[0])
                .entry('V', "label", new byte[0])
                .entry('D', "folder", new byte[9])
                .raw(TarBytes.sealed(sparse))
                .raw(map)
                .zeros(1)
                .data(new byte[3])
                .pax('x', "GNU.sparse.major", "1", "GNU.sparse.name", "s")
                .file("GNUSparseFile.0/s", "map and data")
                .file("file", "x")
                .ended();

        Scan scan = scan(tar);

        assertThat(scan.failure()).isNull();
        assertThat(scan.names()).containsExactly("file");
        assertThat(scan.hidden())
                .isEqualTo(Map.of(
                        HiddenReason.FOLDER, 2,
                        HiddenReason.LINK, 2,
                        HiddenReason.DEVICE, 2,
                        HiddenReason.OTHER, 2,
                        HiddenReason.SPARSE, 2));
    }

    /** Some writers give folders and links sizes; no data follow them (POSIX). */
    @Test
    void linksAndFoldersHaveNoData() {
        byte[] tar = new TarBytes()
                .raw(TarBytes.header('5', "folder/", 4096))
                .raw(TarBytes.header('1', "link", 100))
                .file("file", "x")
                .ended();

        assertThat(scan(tar).names()).containsExactly("file");
    }

    @Test
    void hidesNamesThatAreNoKeys() {
        byte[] tar = new TarBytes()
                .file("/etc/passwd", "")
                .file("../up", "")
                .pax('x', "path", "n\0l")
                .file("n", "")
                .file("file", "")
                .ended();

        Scan scan = scan(tar);

        assertThat(scan.names()).containsExactly("file");
        assertThat(scan.hidden())
                .isEqualTo(Map.of(
                        HiddenReason.ABSOLUTE_NAME, 1, HiddenReason.RELATIVE_NAME, 1, HiddenReason.NUL_IN_NAME, 1));
    }

    @Test
    void endsAtTheEndOfTheFile() {
        byte[] tar = new TarBytes().file("a", "1").bytes();

        assertThat(scan(tar).failure()).isNull();
        assertThat(scan(Arrays.copyOf(tar, BLOCK + 1)).failure()).isNull();
        assertThat(scan(Arrays.copyOf(tar, tar.length + BLOCK)).failure()).isNull();
        assertThat(scan(Arrays.copyOf(tar, tar.length + 7)).failure()).isNull();
        assertThat(scan(new byte[0]).failure()).isNull();
    }

    @Test
    void whatFollowsTheEndIsNotRead() {
        byte[] tar = new TarBytes().file("a", "1").zeros(2).file("b", "2").bytes();

        assertThat(scan(tar).names()).containsExactly("a");
    }

    @Test
    void aBlockOfZerosBetweenHeadersIsDamage() {
        byte[] tar = new TarBytes().file("a", "1").zeros(1).file("b", "2").ended();

        assertDamaged(scan(tar), 2 * BLOCK, "a");
    }

    @Test
    void damagedHeaderIsNamedByItsByte() {
        byte[] tar = new TarBytes().file("a", "1").file("b", "2").ended();
        tar[2 * BLOCK + 50] ^= 1;

        assertDamaged(scan(tar), 2 * BLOCK, "a");
    }

    @Test
    void fileThatIsNoTarIsDamagedAtItsFirstByte() {
        assertDamaged(scan("<html>not found</html>".getBytes(StandardCharsets.US_ASCII)), 0);
        assertDamaged(scan(Arrays.copyOf("<html>".getBytes(StandardCharsets.US_ASCII), 2000)), 0);
    }

    @Test
    void dataBeyondTheEndAreDamage() {
        byte[] tar =
                new TarBytes().file("a", "1").entry('0', "b", new byte[1000]).bytes();

        assertDamaged(scan(Arrays.copyOf(tar, tar.length - 25)), 2 * BLOCK, "a");
        assertThat(scan(Arrays.copyOf(tar, tar.length - 24)).failure()).isNull();
    }

    @Test
    void extendedHeaderWithoutAnEntryIsDamage() {
        byte[] pax = new TarBytes().file("a", "1").pax('x', "path", "lost").ended();
        byte[] name = new TarBytes().entry('L', "long", new byte[600]).bytes();

        assertThat(scan(pax).failure()).extracting(ArchiveException::kind).isEqualTo(ArchiveException.Kind.DAMAGED);
        assertThat(scan(name).failure()).extracting(ArchiveException::kind).isEqualTo(ArchiveException.Kind.DAMAGED);
    }

    @ParameterizedTest
    @CsvSource({
        "x",
        "-1 path=x",
        "0 path=x",
        "99999 path=x",
        "8 path=x",
        "10 path=xx",
        "999999999999 path=x",
        "9 pathxx",
        "5 ="
    })
    void malformedRecordsAreDamage(String record) {
        byte[] tar = new TarBytes()
                .file("a", "1")
                .entry('x', "pax", (TarBytes.record("path", "b") + record + "\n").getBytes(StandardCharsets.US_ASCII))
                .file("b", "2")
                .ended();

        assertDamaged(scan(tar), 3 * BLOCK + TarBytes.record("path", "b").length(), "a");
    }

    @ParameterizedTest
    @CsvSource({"-1", "1e3", "0x10", "99999999999999999999", "9223372036854775807", "999999999999999999"})
    void sizesThatAreNoneAreDamage(String size) {
        byte[] tar = new TarBytes()
                .file("a", "1")
                .pax('x', "size", size)
                .file("b", "2")
                .ended();

        Scan scan = scan(tar);

        assertThat(scan.names()).containsExactly("a");
        assertThat(scan.failure()).isNotNull();
    }

    @Test
    void numbersThatAreNoneAreDamage() {
        for (byte[] size : List.of(
                "0000000009\0".getBytes(StandardCharsets.US_ASCII),
                "abc".getBytes(StandardCharsets.US_ASCII),
                ByteBuffer.allocate(12).putInt(-1).putLong(-5).array(),
                ByteBuffer.allocate(12).put((byte) 0x80).putLong(4, -5).array(),
                ByteBuffer.allocate(12).put((byte) 0x81).array(),
                ByteBuffer.allocate(12)
                        .put((byte) 0x80)
                        .putLong(4, Long.MAX_VALUE)
                        .array())) {
            byte[] header = TarBytes.put(TarBytes.header('0', "b", 0), 124, new byte[12]);
            TarBytes.sealed(TarBytes.put(header, 124, size));
            byte[] tar = new TarBytes().file("a", "1").raw(header).ended();

            assertDamaged(scan(tar), 2 * BLOCK, "a");
        }
    }

    @Test
    void largeExtendedHeadersAreRefusedBeforeTheyAreRead() {
        for (char type : new char[] {'x', 'g', 'L'}) {
            byte[] header = TarBytes.header(type, "bomb", 1 << 30);
            Scan.Source source = (position, into) -> System.arraycopy(header, (int) position, into, 0, into.length);

            Scan scan = Scan.of(ArchiveFormat.TAR, source, 2L << 30, ArchiveLimits.defaults());

            assertThat(scan.failure()).extracting(ArchiveException::kind).isEqualTo(ArchiveException.Kind.TOO_LARGE);
            assertThat(scan.read()).isEqualTo(BLOCK);
        }
    }

    /** A megabyte of the shortest records. */
    @Test
    void manyRecordsTakeLittleMemory() {
        byte[] records = "5 a=\n".repeat((1 << 20) / 5).getBytes(StandardCharsets.US_ASCII);
        byte[] tar = new TarBytes().entry('x', "pax", records).file("a", "1").ended();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();

        assertThat(scan(tar).names()).containsExactly("a");
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(64L << 20);
    }

    @Test
    void eachCutGivesTheMembersBeforeIt() {
        byte[] tar = new TarBytes()
                .file("a", "first")
                .pax('x', "path", "second", "size", "600")
                .entry('0', "b", new byte[600])
                .entry('L', "long", "third\0".getBytes(StandardCharsets.US_ASCII))
                .file("c", "x")
                .ended();
        Scan whole = scan(tar);
        assertThat(whole.names()).containsExactly("a", "second", "third");

        for (int length = 0; length <= tar.length; length++) {
            byte[] cut = Arrays.copyOf(tar, length);
            Scan scan = scan(cut);
            int expected = (int) whole.members().stream()
                    .filter(member -> member.position() + member.size() <= cut.length)
                    .count();
            assertThat(scan.members()).isEqualTo(whole.members().subList(0, expected));
            assertThat(Scan.inPieces(ArchiveFormat.TAR, cut, new Random(length), 700)
                            .outcome())
                    .isEqualTo(scan.outcome());
        }
    }

    private static Scan scan(byte[] tar) {
        return Scan.of(ArchiveFormat.TAR, tar);
    }

    private static void assertDamaged(Scan scan, long position, String... before) {
        assertThat(scan.names()).containsExactly(before);
        assertThat(scan.failure()).isNotNull();
        assertThat(scan.failure().kind()).isEqualTo(ArchiveException.Kind.DAMAGED);
        assertThat(scan.failure().position()).isEqualTo(position);
    }
}
