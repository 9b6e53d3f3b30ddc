package io.millrace.gateway.archive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries that are written are read by others, whatever their names and sizes. */
class TarEntryHeaderTest {
    private static TarArchiveEntry read(byte[] header) throws IOException {
        try (TarArchiveInputStream tar = new TarArchiveInputStream(new ByteArrayInputStream(header), "UTF-8")) {
            return tar.getNextEntry();
        }
    }

    private static String path(int folder, int file) {
        return "f".repeat(folder) + "/" + "n".repeat(file);
    }

    @ParameterizedTest
    @CsvSource({"1,1,1", "10,100,1", "155,100,1", "155,101,3", "156,100,3", "300,20,3", "50,50,1", "1,99,1", "1,101,3"})
    void namesFindRoom(int folder, int file, int blocks) throws IOException {
        byte[] header = TarEntryHeader.of(path(folder, file), 7);

        assertThat(header).hasSize(blocks * TarEntryHeader.BLOCK);
        assertThat(read(header).getName()).isEqualTo(path(folder, file));
        assertThat(read(header).getSize()).isEqualTo(7);
        assertThat(read(header).isFile()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"Grüße.jpg", "日本/写真.jpg", "a\nb", "blank and =", "😀"})
    void namesAreReadAsTheyAre(String name) throws IOException {
        assertThat(read(TarEntryHeader.of(name, 0)).getName()).isEqualTo(name);
    }

    @Test
    void nameHasNoNul() throws IOException {
        assertThat(read(TarEntryHeader.of("a\0b", 0)).getName()).isEqualTo("a_b");
    }

    /** An object may have such a name, and the beginning of a tar as its content. */
    @Test
    void nameIsThatOfNoFolder() throws IOException {
        byte[] hidden = TarEntryHeader.of("hidden", 0);
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        for (String name : new String[] {"folder/", path(200, 99) + "/", "/"}) {
            tar.writeBytes(TarEntryHeader.of(name, hidden.length));
            tar.writeBytes(hidden);
        }
        tar.writeBytes(new byte[TarEntryHeader.END]);

        try (TarArchiveInputStream entries =
                new TarArchiveInputStream(new ByteArrayInputStream(tar.toByteArray()), "UTF-8")) {
            for (String name : new String[] {"folder_", path(200, 99) + "_", "_"}) {
                TarArchiveEntry entry = entries.getNextEntry();
                assertThat(entry.getName()).isEqualTo(name);
                assertThat(entry.isDirectory()).isFalse();
                assertThat(entries.readAllBytes()).isEqualTo(hidden);
            }
            assertThat(entries.getNextEntry()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 511, 512, (1L << 33) - 1, 1L << 33, 1L << 40})
    void sizesAreReadAsTheyAre(long size) throws IOException {
        byte[] header = TarEntryHeader.of("name", size);

        assertThat(read(header).getSize()).isEqualTo(size);
        assertThat((size + TarEntryHeader.padding(size)) % TarEntryHeader.BLOCK).isZero();
        assertThat(TarEntryHeader.padding(size)).isBetween(0, TarEntryHeader.BLOCK - 1);
    }

    /** The length of a record counts its own digits. */
    @ParameterizedTest
    @ValueSource(ints = {1, 86, 87, 88, 89, 90, 987, 988, 989, 990})
    void recordsOfEachLengthAreRead(int length) throws IOException {
        Map<String, String> records = Map.of("OWN.code", "v".repeat(length));

        TarArchiveEntry entry = read(TarEntryHeader.of("name", 0, records));

        assertThat(entry.getExtraPaxHeaders()).containsAllEntriesOf(records);
        assertThat(entry.getName()).isEqualTo("name");
    }

    @Test
    void ownScannerReadsThem() {
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        tar.writeBytes(TarEntryHeader.of("short", 3));
        tar.writeBytes(new byte[TarEntryHeader.BLOCK]);
        tar.writeBytes(TarEntryHeader.of(path(200, 200), 0, Map.of("OWN.code", "x")));
        tar.writeBytes(new byte[TarEntryHeader.END]);

        assertThat(Scan.of(ArchiveFormat.TAR, tar.toByteArray()).members())
                .extracting(ArchiveMember::name)
                .containsExactly("short", path(200, 200));
    }
}
