package io.millrace.gateway.objects.derived;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.gateway.archive.ArchiveLimits;
import io.millrace.gateway.archive.MemberIndex;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;

/** A pass reads no byte twice: it streams small members and jumps over large ones. */
class ArchiveScanTest {
    @Test
    void smallMembersAreStreamedInGrowingWindows() {
        TestArchiveBytes tar = TestArchiveBytes.of("a.tar", 2000, 10_000);

        MemberIndex index = scan(tar);

        assertThat(index.size()).isEqualTo(2000);
        assertThat(index.damage()).isEmpty();
        assertThat(tar.read()).hasSizeLessThan(12);
        assertNothingTwice(tar);
    }

    @Test
    void largeMembersAreJumpedOver() {
        int members = 6;
        TestArchiveBytes tar = TestArchiveBytes.of("a.tar", members, 5 << 20);

        MemberIndex index = scan(tar);

        assertThat(index.size()).isEqualTo(members);
        assertThat(tar.read()).hasSizeGreaterThanOrEqualTo(members);
        assertThat(tar.read().stream().mapToLong(ByteRange::length).sum()).isLessThan((members + 2L) * (64 << 10));
        assertNothingTwice(tar);
    }

    @Test
    void archiveThatEndsTooSoonHasItsFirstMembers() {
        TestArchiveBytes whole = TestArchiveBytes.of("a.tar", 10, 1000);

        MemberIndex index = scan(new TestArchiveBytes("a.tar", Arrays.copyOf(whole.bytes(), 5 * 1536 + 700)));

        assertThat(index.size()).isEqualTo(5);
        assertThat(index.damage()).isPresent();
    }

    @Test
    void directoryOfAZipIsReadInTwoPieces() throws IOException {
        ByteArrayOutputStream archive = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(archive)) {
            for (int i = 0; i < 3000; i++) {
                zip.putNextEntry(new ZipEntry("folder/%050d".formatted(i)));
                zip.write(new byte[100]);
            }
        }
        TestArchiveBytes zip = new TestArchiveBytes("a.zip", archive.toByteArray());

        MemberIndex index = scan(zip);

        assertThat(index.damage()).isEmpty();
        assertThat(index.size()).isEqualTo(3000);
        assertThat(zip.read()).hasSize(2);
    }

    private static void assertNothingTwice(TestArchiveBytes tar) {
        long end = 0;
        for (ByteRange range : tar.read()) {
            assertThat(range.first()).isGreaterThanOrEqualTo(end);
            end = range.last() + 1;
        }
        assertThat(end).isLessThanOrEqualTo(tar.bytes().length);
    }

    private static MemberIndex scan(TestArchiveBytes tar) {
        return new ArchiveScan(tar.open("1"), ArchiveLimits.defaults(), Runnable::run, new MetMembers())
                .run()
                .blockOptional()
                .orElseThrow();
    }
}
