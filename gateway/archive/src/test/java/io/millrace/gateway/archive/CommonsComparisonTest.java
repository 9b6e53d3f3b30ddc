package io.millrace.gateway.archive;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.gateway.archive.CommonsArchives.Place;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.zip.Zip64Mode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares what the scanners find with what commons-compress finds in archives that it has written. */
class CommonsComparisonTest {
    private static final String LETTERS = "abcdefgh \u00e4\u65e5\uD83D\uDE00._-+=";

    @ParameterizedTest
    @CsvSource({
        TarArchiveOutputStream.LONGFILE_GNU + ",false",
        TarArchiveOutputStream.LONGFILE_POSIX + ",true",
        TarArchiveOutputStream.LONGFILE_POSIX + ",false"
    })
    void findsTheSameInTars(int longNames, boolean hasPaxNames) throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            Map<String, byte[]> files = RandomFiles.of(new Random(seed), 30, 300, LETTERS);
            check(ArchiveFormat.TAR, CommonsArchives.tar(files, longNames, hasPaxNames), files);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Zip64Mode.class,
            names = {"Never", "AsNeeded", "Always"})
    void findsTheSameInZips(Zip64Mode zip64) throws IOException {
        for (int seed = 0; seed < 20; seed++) {
            Map<String, byte[]> files = RandomFiles.of(new Random(seed), 30, 300, LETTERS);
            check(ArchiveFormat.ZIP, CommonsArchives.zip(files, zip64), files);
        }
    }

    private static void check(ArchiveFormat format, byte[] archive, Map<String, byte[]> files) throws IOException {
        Scan scan = Scan.of(format, archive);

        assertThat(scan.failure()).isNull();
        assertThat(scan.names()).containsExactlyElementsOf(files.keySet());
        assertThat(scan.members().stream().map(Place::of).toList()).isEqualTo(CommonsArchives.files(format, archive));
        for (ArchiveMember member : scan.members()) {
            if (!member.isDeflated()) {
                assertThat(scan.data(member.name(), archive)).isEqualTo(files.get(member.name()));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"" + TarArchiveOutputStream.BIGNUMBER_STAR, "" + TarArchiveOutputStream.BIGNUMBER_POSIX})
    void readsSizesBeyondEightGibibytes(int bigNumbers) throws IOException {
        long size = 9L << 30;
        byte[] header = CommonsArchives.header("large", size, bigNumbers);
        Scan.Source source = (position, into) -> {
            for (int i = 0; i < into.length; i++) {
                into[i] = position + i < header.length ? header[(int) (position + i)] : 0;
            }
        };

        Scan scan = Scan.of(ArchiveFormat.TAR, source, header.length + size + 1024, ArchiveLimits.defaults());

        assertThat(scan.members()).containsExactly(ArchiveMember.ofTar("large", header.length, size));
        assertThat(scan.failure()).isNull();
    }

    /** More entries than the end record can count. */
    @Test
    void readsManyEntries() throws IOException {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (int i = 0; i < 70_000; i++) {
            files.put("member-" + i, new byte[0]);
        }
        byte[] archive = CommonsArchives.zip(files, Zip64Mode.AsNeeded);

        Scan scan = Scan.of(ArchiveFormat.ZIP, archive);

        assertThat(scan.failure()).isNull();
        List<String> names = new ArrayList<>(files.keySet());
        assertThat(scan.names()).isEqualTo(names);
        assertThat(scan.pieces()).isLessThan(12);
    }
}
