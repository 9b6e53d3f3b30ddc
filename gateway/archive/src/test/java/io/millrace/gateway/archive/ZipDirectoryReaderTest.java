package io.millrace.gateway.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;

/** Tests the reader of directories with zips that are made field by field. */
class ZipDirectoryReaderTest {
    @Test
    void givesPlacesAndChecksums() {
        byte[] zip = new ZipBytes()
                .file("a/1", "first")
                .file("./b", "")
                .file("c", "third")
                .bytes();

        Scan scan = scan(zip);

        assertThat(scan.failure()).isNull();
        assertThat(scan.names()).containsExactly("a/1", "b", "c");
        assertThat(scan.members()).extracting(ArchiveMember::position).containsExactly(0L, 38L, 71L);
        assertThat(scan.members().get(0).crc32()).hasValue(0x9271ee57);
        assertThat(scan.data("a/1", zip)).asString(StandardCharsets.UTF_8).isEqualTo("first");
        assertThat(scan.data("c", zip)).asString(StandardCharsets.UTF_8).isEqualTo("third");
    }

    @Test
    void readsDeflatedMembers() throws IOException, DataFormatException {
        byte[] content = "a".repeat(10_000).getBytes(StandardCharsets.US_ASCII);
        ByteArrayOutputStream zip = new ByteArrayOutputStream();
        try (ZipOutputStream out = new ZipOutputStream(zip)) {
            out.putNextEntry(new ZipEntry("deflated"));
            out.write(content);
        }

        Scan scan = scan(zip.toByteArray());

        ArchiveMember member = scan.members().get(0);
        assertThat(member.isDeflated()).isTrue();
        assertThat(member.size()).isEqualTo(content.length);
        Inflater inflater = new Inflater(true);
        inflater.setInput(scan.data("deflated", zip.toByteArray()));
        byte[] inflated = new byte[content.length];
        assertThat(inflater.inflate(inflated)).isEqualTo(content.length);
        assertThat(inflated).isEqualTo(content);
    }

    /** Its tail has all of a small archive, and so a large one takes two reads. */
    @Test
    void readsTheTailAndThenTheDirectory() {
        ZipBytes zip = new ZipBytes().entry("large", new byte[200_000], new byte[0]);
        for (int i = 0; i < 2000; i++) {
            zip.file("member-" + i, "");
        }
        byte[] bytes = zip.bytes("a comment");

        Scan scan = scan(bytes);

        assertThat(scan.members()).hasSize(2001);
        assertThat(scan.pieces()).isEqualTo(2);
        assertThat(scan.read()).isEqualTo(ZipEnd.MAX_TAIL_BYTES + zip.directorySize());
        for (int longest : List.of(1, 45, 46, 47, 5000)) {
            assertThat(Scan.inPieces(ArchiveFormat.ZIP, bytes, new Random(longest), longest)
                            .outcome())
                    .isEqualTo(scan.outcome());
        }
    }

    @Test
    void readsEmptyArchives() {
        assertThat(scan(new ZipBytes().bytes()).outcome()).isEqualTo(List.of(List.of(), Map.of()));
        assertThat(scan(new ZipBytes().zip64Bytes()).outcome()).isEqualTo(List.of(List.of(), Map.of()));
    }

    @Test
    void readsZip64() {
        ZipBytes zip = new ZipBytes()
                .file("a", "first")
                .entry(
                        "b",
                        "second".getBytes(StandardCharsets.US_ASCII),
                        ZipBytes.zip64(6, 6, 36),
                        ZipBytes.SIZE,
                        -1,
                        ZipBytes.STORED_SIZE,
                        -1,
                        ZipBytes.HEADER_POSITION,
                        -1);
        byte[] bytes = zip.zip64Bytes();

        Scan scan = scan(bytes);

        assertThat(scan.failure()).isNull();
        assertThat(scan.data("a", bytes)).asString(StandardCharsets.UTF_8).isEqualTo("first");
        assertThat(scan.data("b", bytes)).asString(StandardCharsets.UTF_8).isEqualTo("second");
    }

    /** The end record of zip64 may be followed by so much that it is not in the tail. */
    @Test
    void readsEndRecordsOfZip64BeforeTheTail() {
        byte[] bytes = new ZipBytes().file("a", "first").zip64Bytes();
        int end = bytes.length - 42;
        byte[] far = ZipBytes.joined(
                Arrays.copyOf(bytes, end), new byte[100_000], Arrays.copyOfRange(bytes, end, bytes.length));

        Scan scan = scan(far);

        assertThat(scan.failure()).isNull();
        assertThat(scan.names()).containsExactly("a");
        assertThat(scan.pieces()).isEqualTo(3);
    }

    @Test
    void skipsWhatIsBeforeTheArchive() {
        byte[] zip = ZipBytes.joined(
                "#!/bin/sh\n".getBytes(StandardCharsets.US_ASCII),
                new ZipBytes().file("a", "first").bytes());

        assertThat(scan(zip).data("a", zip)).asString(StandardCharsets.UTF_8).isEqualTo("first");
    }

    @Test
    void hidesOtherThanFiles() {
        byte[] zip = new ZipBytes()
                .file("folder/", "")
                .entry("link", new byte[0], new byte[0], ZipBytes.WRITER, 0x314, ZipBytes.ATTRIBUTES, 0xa1ff0000)
                .entry("folder", new byte[0], new byte[0], ZipBytes.WRITER, 0x314, ZipBytes.ATTRIBUTES, 0x41ff0000)
                .entry("pipe", new byte[0], new byte[0], ZipBytes.WRITER, 0x1314, ZipBytes.ATTRIBUTES, 0x11ff0000)
                .entry("encrypted", new byte[20], new byte[0], ZipBytes.FLAGS, 1, ZipBytes.SIZE, 8)
                .entry("zstd", new byte[5], new byte[0], ZipBytes.METHOD, 93, ZipBytes.SIZE, 8)
                .file("../up", "")
                .file("n\0l", "")
                .entry("file", new byte[0], new byte[0], ZipBytes.WRITER, 0x314, ZipBytes.ATTRIBUTES, 0x81ff0000)
                .entry("dos", new byte[0], new byte[0], ZipBytes.WRITER, 0x14, ZipBytes.ATTRIBUTES, 0xa1ff0000)
                .bytes();

        Scan scan = scan(zip);

        assertThat(scan.failure()).isNull();
        assertThat(scan.names()).containsExactly("file", "dos");
        assertThat(scan.hidden())
                .isEqualTo(Map.of(
                        HiddenReason.FOLDER, 2,
                        HiddenReason.LINK, 1,
                        HiddenReason.DEVICE, 1,
                        HiddenReason.ENCRYPTED, 1,
                        HiddenReason.COMPRESSION, 1,
                        HiddenReason.RELATIVE_NAME, 1,
                        HiddenReason.NUL_IN_NAME, 1));
    }

    @Test
    void namesThatAreNotUtf8AreHidden() {
        byte[] zip = new ZipBytes().file("\u00e4", "").bytes();
        int name = zip.length - 22 - 2;
        zip[name] = (byte) 0x84; // An umlaut in the code page of MS-DOS.
        zip[name + 1] = 'x';

        assertThat(scan(zip).hidden()).isEqualTo(Map.of(HiddenReason.NAME_NOT_UTF8, 1));
    }

    @Test
    void commentsThatLookLikeTheEndAreSkipped() {
        byte[] zip = new ZipBytes().file("a", "first").bytes("PK\5\6 and some thirty characters more");

        assertThat(scan(zip).names()).containsExactly("a");
    }

    @Test
    void fileThatIsNoZipIsDamaged() {
        assertDamaged(scan(new byte[0]), 0);
        assertDamaged(scan(new byte[21]), 0);
        assertDamaged(scan(new byte[100_000]), 100_000 - ZipEnd.MAX_TAIL_BYTES);
    }

    @Test
    void countsThatLieAreRefused() {
        ZipBytes zip = new ZipBytes().file("a", "1").file("b", "2");
        int end = zip.directoryPosition() + zip.directorySize();

        assertDamaged(scan(zip.bytesWith(ZipBytes.ENTRIES, 1)), end, "a", "b");
        assertDamaged(scan(zip.bytesWith(ZipBytes.ENTRIES, 3)), end);
        assertDamaged(scan(zip.zip64Bytes(1, zip.directorySize(), zip.directoryPosition(), end)), end, "a", "b");
        assertDamaged(scan(zip.zip64Bytes(1L << 40, zip.directorySize(), zip.directoryPosition(), end)), end);
        assertDamaged(scan(zip.zip64Bytes(-1, zip.directorySize(), zip.directoryPosition(), end)), end);
    }

    @Test
    void directoriesThatAreElsewhereAreRefused() {
        ZipBytes zip = new ZipBytes().file("a", "1").file("b", "2");
        int end = zip.directoryPosition() + zip.directorySize();

        assertDamaged(scan(zip.bytesWith(ZipBytes.DIRECTORY_POSITION, end + 1)), end);
        assertDamaged(scan(zip.bytesWith(ZipBytes.DIRECTORY_SIZE, end + 1)), end);
        assertDamaged(scan(zip.bytesWith(ZipBytes.DIRECTORY_SIZE, -1)), end);
        assertDamaged(scan(zip.bytesWith(ZipBytes.DIRECTORY_POSITION, -2)), end);
        for (long lie : List.of(-1L, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 40)) {
            assertDamaged(scan(zip.zip64Bytes(2, lie, zip.directoryPosition(), end)), end);
            assertDamaged(scan(zip.zip64Bytes(2, zip.directorySize(), lie, end)), end);
            // The locator is after the end record of zip64.
            assertDamaged(scan(zip.zip64Bytes(2, zip.directorySize(), 0, lie)), end + 56);
        }
    }

    /** The records of zip64 lead from the end to the directory in three steps, so that they cannot go round. */
    @Test
    void locatorsThatLeadToThemselvesAreRefused() {
        ZipBytes zip = new ZipBytes().file("a", "1");
        int end = zip.directoryPosition() + zip.directorySize();

        assertDamaged(scan(zip.zip64Bytes(1, zip.directorySize(), 0, end + 56)), end + 56);
        assertDamaged(scan(zip.zip64Bytes(1, zip.directorySize(), 0, end + 1)), end + 56);
        assertDamaged(scan(zip.zip64Bytes(1, zip.directorySize(), 0, 3)), 3);
    }

    @Test
    void entriesBeyondTheDirectoryAreRefused() {
        byte[] zip = new ZipBytes().file("a", "1").file("b", "2").bytes();
        int second = zip.length - 22 - 47;
        zip[second + 30] = 1; // An extra field that reaches into the end record.

        assertDamaged(scan(zip), second, "a");
    }

    @Test
    void otherThanAnEntryIsRefusedByItsByte() {
        byte[] zip = new ZipBytes().file("a", "1").file("b", "2").bytes();
        int second = zip.length - 22 - 47;
        zip[second] = 'X';

        assertDamaged(scan(zip), second, "a");
    }

    @Test
    void dataBeyondTheDirectoryAreRefused() {
        for (int field : new int[] {ZipBytes.HEADER_POSITION, ZipBytes.STORED_SIZE}) {
            for (int lie : new int[] {1000, Integer.MAX_VALUE, Integer.MIN_VALUE, -2}) {
                ZipBytes zip = new ZipBytes()
                        .file("a", "1")
                        .entry("b", new byte[1], new byte[0], field, lie, ZipBytes.METHOD, 8);
                int second = zip.directoryPosition() + 47;

                assertDamaged(scan(zip.bytes()), second, "a");
            }
        }
    }

    @Test
    void wideNumbersThatLieAreRefused() {
        for (long lie : List.of(-1L, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 40)) {
            ZipBytes position = new ZipBytes()
                    .file("a", "1")
                    .entry("b", new byte[1], ZipBytes.zip64(lie), ZipBytes.HEADER_POSITION, -1);
            ZipBytes size = new ZipBytes()
                    .file("a", "1")
                    .entry("b", new byte[1], ZipBytes.zip64(lie), ZipBytes.STORED_SIZE, -1, ZipBytes.METHOD, 8);

            assertDamaged(scan(position.bytes()), position.directoryPosition() + 47, "a");
            assertDamaged(scan(size.bytes()), size.directoryPosition() + 47, "a");
        }
    }

    /** Where there is no room for a header, the room that is left is less than the least number. */
    @Test
    void headerBeforeADirectoryAtTheBeginningIsRefused() {
        ZipBytes zip =
                new ZipBytes().entry("a", new byte[0], ZipBytes.zip64(Long.MAX_VALUE), ZipBytes.HEADER_POSITION, -1);

        assertDamaged(scan(zip.bytesWith(ZipBytes.DIRECTORY_POSITION, 0)), zip.directoryPosition());
    }

    @Test
    void missingWideNumbersAreRefused() {
        for (byte[] extra : List.of(new byte[0], ZipBytes.zip64(), new byte[3], new byte[] {1, 0, 9, 0})) {
            ZipBytes zip = new ZipBytes().entry("a", new byte[1], extra, ZipBytes.HEADER_POSITION, -1);

            assertDamaged(scan(zip.bytes()), zip.directoryPosition());
        }
    }

    @Test
    void sizesThatContradictEachOtherAreRefused() {
        ZipBytes zip = new ZipBytes().entry("a", new byte[1], new byte[0], ZipBytes.SIZE, 2);

        assertDamaged(scan(zip.bytes()), zip.directoryPosition());
    }

    @Test
    void overlappingEntriesAreRefused() {
        ZipBytes same = new ZipBytes()
                .file("a", "the data of both")
                .entry("b", new byte[16], new byte[0], ZipBytes.HEADER_POSITION, 0);
        ZipBytes within = new ZipBytes()
                .entry("a", new byte[200], new byte[0])
                .file("b", "1")
                .entry("c", new byte[1], new byte[0], ZipBytes.HEADER_POSITION, 100);

        assertDamaged(scan(same.bytes()), 0, "a", "b");
        assertDamaged(scan(within.bytes()), 100, "a", "b", "c");
    }

    @Test
    void entriesMayBeInAnyOrder() {
        byte[] zip = new ZipBytes()
                .entry("a", new byte[1], new byte[0], ZipBytes.HEADER_POSITION, 32)
                .entry("b", new byte[1], new byte[0], ZipBytes.HEADER_POSITION, 0)
                .bytes();

        assertThat(scan(zip).failure()).isNull();
    }

    @Test
    void splitArchivesAreRefusedWithWhatToDo() {
        byte[] zip = new ZipBytes().file("a", "1").bytesWith(4, 2);

        assertThat(scan(zip).failure()).hasMessageContaining("join them first");
    }

    @Test
    void largeDirectoriesAreRefused() {
        ZipBytes zip = new ZipBytes().file("a", "1").file("b", "2").file("c", "3");
        ArchiveLimits few = new ArchiveLimits(2, 1 << 20, 1 << 20, 1 << 20, 1024);
        ArchiveLimits small = new ArchiveLimits(10, 1 << 20, 1 << 20, 100, 1024);

        assertThat(Scan.of(ArchiveFormat.ZIP, zip.bytes(), few).failure())
                .extracting(ArchiveException::kind)
                .isEqualTo(ArchiveException.Kind.TOO_LARGE);
        assertThat(Scan.of(ArchiveFormat.ZIP, zip.bytes(), small).failure())
                .extracting(ArchiveException::kind)
                .isEqualTo(ArchiveException.Kind.TOO_LARGE);
        // The end record lies.
        assertThat(Scan.of(ArchiveFormat.ZIP, zip.bytesWith(ZipBytes.ENTRIES, 1), few)
                        .failure())
                .extracting(ArchiveException::kind)
                .isEqualTo(ArchiveException.Kind.TOO_LARGE);
    }

    @Test
    void cutsAreRefused() {
        byte[] zip = new ZipBytes().file("a", "first").file("b", "second").bytes();
        byte[] zip64 = new ZipBytes().file("a", "first").file("b", "second").zip64Bytes();

        for (byte[] whole : List.of(zip, zip64)) {
            for (int length = 0; length < whole.length; length++) {
                assertThat(scan(Arrays.copyOf(whole, length)).failure()).isNotNull();
                byte[] tail = Arrays.copyOfRange(whole, length, whole.length);
                assertThat(Scan.inPieces(ArchiveFormat.ZIP, tail.length == 0 ? whole : tail, new Random(length), 30)
                                .outcome())
                        .isEqualTo(scan(tail.length == 0 ? whole : tail).outcome());
            }
        }
    }

    @Test
    void localHeadersThatContradictTheDirectoryAreRefused() {
        byte[] zip = new ZipBytes().file("name", "content").bytes();
        ArchiveMember member = scan(zip).members().get(0);
        ByteBuffer header = ByteBuffer.wrap(zip, 0, ZipLocalHeader.BYTES);

        assertThat(ZipLocalHeader.dataPosition(header, member, zip.length)).isEqualTo(34);
        assertThat(header.position()).isZero();
        assertThatThrownBy(() -> ZipLocalHeader.dataPosition(header, member, 40))
                .isInstanceOf(ArchiveException.class);
        for (int changed : new int[] {0, 6, 8}) {
            byte[] other = Arrays.copyOf(zip, ZipLocalHeader.BYTES);
            other[changed] ^= 1;
            assertThatThrownBy(() -> ZipLocalHeader.dataPosition(ByteBuffer.wrap(other), member, zip.length))
                    .isInstanceOf(ArchiveException.class);
        }
    }

    private static Scan scan(byte[] zip) {
        return Scan.of(ArchiveFormat.ZIP, zip);
    }

    private static void assertDamaged(Scan scan, long position, String... before) {
        assertThat(scan.names()).containsExactly(before);
        assertThat(scan.failure()).isNotNull();
        assertThat(scan.failure().kind()).isEqualTo(ArchiveException.Kind.DAMAGED);
        assertThat(scan.failure().position()).isEqualTo(position);
    }
}
