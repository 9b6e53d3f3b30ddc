package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A file system may have less than the disk's size says, and less tomorrow than today: then the oldest has to go
 * earlier.
 */
class DiskSpaceTest {
    private static final long MIB = 1 << 20;
    private static final long SEGMENT = 4 * MIB;

    private final AtomicLong free = new AtomicLong(1000 * MIB);
    private final DiskSpace room = new DiskSpace(
            Path.of("disk"), 100 * MIB, size -> Math.min(SEGMENT, Math.max(MIB, size / 16)), 0.5, free::get);

    @Test
    void limitIsTheConfiguredSizeIfSpaceSuffices() {
        room.refresh();

        assertThat(room.limit()).isEqualTo(100 * MIB);
        assertThat(room.segmentBytes()).isEqualTo(SEGMENT);
        assertThat(room.shortBy()).isZero();
    }

    @Test
    void limitFollowsFreeSpaceOfTheFileSystem() {
        room.take(30 * MIB);
        free.set(50 * MIB);
        room.refresh();

        // Half a segment may be copied before one goes, and a little is left alone.
        assertThat(room.limit()).isEqualTo(80 * MIB - SEGMENT / 2 - DiskSpace.RESERVE);
        assertThat(room.isFull()).isFalse();
        assertThat(room.shortBy()).isZero();
    }

    @Test
    void segmentsAreSmallerWhereThereIsLittleRoom() {
        free.set(20 * MIB);
        room.refresh();

        assertThat(room.segmentBytes()).isBetween(MIB, 2 * MIB);
    }

    @Test
    void roomThatOthersTookIsMissedAndComesBack() {
        room.take(60 * MIB);
        free.set(MIB / 4);
        room.refresh();

        assertThat(room.isFull()).isTrue();
        assertThat(room.isNone()).isFalse();
        assertThat(room.shortBy()).isBetween(MIB, 3 * MIB);

        free.set(1000 * MIB);
        room.refresh();
        assertThat(room.limit()).isEqualTo(100 * MIB);
        assertThat(room.isFull()).isFalse();
    }

    @Test
    void foreignFilesCanLeaveNoSpace() {
        free.set(MIB);
        room.refresh();

        assertThat(room.isNone()).isTrue();
    }

    /** Files, not bytes, may have run out, or what one user may have. */
    @ParameterizedTest
    @ValueSource(strings = {"No space left on device", "Disk quota exceeded"})
    void failingWritesLowerTheLimit(String reported) {
        room.take(40 * MIB);
        room.refresh();

        assertThat(room.ranOut(new IOException(reported), room.hasNone())).isTrue();
        room.refresh();
        assertThat(room.limit()).isLessThan(40 * MIB);
        assertThat(room.isFull()).isTrue();
    }

    @Test
    void otherFailuresAreNoWantOfRoom() {
        room.refresh();

        assertThat(room.ranOut(new FileSystemException("disk", null, "Input/output error"), room.hasNone()))
                .isFalse();
        assertThat(room.ranOut(new IllegalStateException("No space left on device"), room.hasNone()))
                .isFalse();
    }

    @Test
    void detectsFullDiskInAnyLocale() {
        free.set(0);

        assertThat(room.ranOut(new IOException("Kein Speicherplatz"), room.hasNone()))
                .isTrue();
    }
}
