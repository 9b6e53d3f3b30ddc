package io.millrace.cache.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What earlier programs wrote in this format is read. */
class RecordFormatTest {
    @TempDir
    Path folder;

    @Test
    void recordsOfBeforeTheirPlaceWasToldAreRead() throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, 1, 100_000)))
                    .isTrue();
            assertThat(Stores.stored(Stores.write(store, Kind.HEAD, 2, 0))).isTrue();
            assertThat(Stores.stored(Stores.write(store, Kind.OBJECT, 3, 5000))).isTrue();
        }
        placed(Stores.segments(folder.resolve("disk-0")).get(0), start -> 0);

        assertAllAreRead();
    }

    @Test
    void recordsWithPlacesOf22BitsAreRead() throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            assertThat(Stores.stored(Stores.write(store, Kind.BLOCK, 1, 100_000)))
                    .isTrue();
            assertThat(Stores.stored(Stores.write(store, Kind.HEAD, 2, 0))).isTrue();
            assertThat(Stores.stored(Stores.write(store, Kind.OBJECT, 3, 5000))).isTrue();
        }
        Path segment = Stores.segments(folder.resolve("disk-0")).get(0);
        long number = Long.parseLong(segment.getFileName().toString().replace(".seg", ""));
        placed(segment, start -> (number << 22) | (start / 64));

        assertAllAreRead();
    }

    @Test
    void aPlaceInALargeSegmentIsNoOther() {
        long start = 300L << 20;
        BlockDraft draft = new BlockDraft(
                Kind.TOMBSTONE, 1, Fingerprint.NONE, Fingerprint.NONE, 0, ByteBuffer.allocate(0), List.of());
        RecordHeader header = RecordHeader.of(draft, 2, start, 0);

        assertThat(header.isAt(2, start)).isTrue();
        assertThat(header.isAt(3, start)).isFalse();
        assertThat(header.isAt(3, start - (256L << 20))).isFalse();
        assertThat(header.isAt(8, start)).isFalse();
    }

    private void assertAllAreRead() throws IOException {
        try (BlockStore store = Stores.open(folder, "16MiB")) {
            for (int number = 1; number <= 3; number++) {
                assertThat(Stores.reads(store, number)).as("record %d", number).isTrue();
            }
        }
    }

    private static void placed(Path segment, LongUnaryOperator place) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(segment));
        List<FooterEntry> lines;
        try (FileChannel file = FileChannel.open(segment)) {
            lines = Footer.read(file).orElseThrow().lines();
        }
        for (FooterEntry line : lines) {
            ByteBuffer record =
                    bytes.slice((int) line.start(), line.recordBytes()).order(ByteOrder.LITTLE_ENDIAN);
            int beforeBody = RecordHeader.decodeFixed(record).orElseThrow().beforeBody();
            assertThat(record.getLong(RecordHeader.PLACE_AT)).isNotZero();
            record.putLong(RecordHeader.PLACE_AT, place.applyAsLong(line.start()));
            RecordHeader.sign(record, beforeBody);
        }
        Files.write(segment, bytes.array());
    }
}
