package io.millrace.cache.disk;

import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.zip.CRC32C;

/**
 * The index at the end of a completed (sealed) segment file, with an entry for each block in the file. A segment whose
 * footer is corrupt is scanned record by record.
 */
final class SegmentFooter {
    private static final int TRAILER = 64;
    private static final int MAGIC = 0x5446524D; // "MRFT"

    private final SegmentFooterEntries entries = new SegmentFooterEntries();

    void add(SegmentFooterEntry entry) {
        entries.add(entry);
    }

    /** Returns the entries; each is created when it is read. */
    List<SegmentFooterEntry> entries() {
        return entries;
    }

    /** Returns the bytes of a footer with so many entries. */
    static long bytes(int entries) {
        return (long) entries * SegmentFooterEntries.ENTRY + TRAILER;
    }

    /**
     * Writes the footer at the file's position.
     *
     * @param position the file's position, after the last record
     */
    void write(FileChannel file, long position) throws IOException {
        entries.write(file);
        DurableFiles.writeFully(file, trailer(position));
    }

    private ByteBuffer trailer(long position) {
        ByteBuffer trailer = ByteBuffer.allocate(TRAILER).order(ByteOrder.LITTLE_ENDIAN);
        trailer.putInt(0, MAGIC).putInt(8, entries.size()).putLong(16, position);
        trailer.putInt(12, BlockPageLayout.checksum(trailer));
        return trailer.putInt(4, checksum(trailer));
    }

    /** Returns the CRC32C of the entries and a trailer. */
    private int checksum(ByteBuffer trailer) {
        CRC32C sum = new CRC32C();
        entries.sum(sum);
        sum.update(trailer.duplicate());
        return (int) sum.getValue();
    }

    /**
     * Returns the records of a file, from its footer or by a scan.
     *
     * @param step called repeatedly while the file is read, to show progress
     */
    static SegmentFooter of(FileChannel file, Runnable step) throws IOException {
        Optional<SegmentFooter> written = read(file, step);
        return written.isPresent()
                ? written.get()
                : UnsealedSegmentScan.of(file, step).found();
    }

    /** Returns the number of records from a file's trailer; empty if there is no intact trailer. */
    static OptionalInt count(FileChannel file) throws IOException {
        long size = file.size();
        ByteBuffer trailer = ByteBuffer.allocate(TRAILER).order(ByteOrder.LITTLE_ENDIAN);
        if (size < Segment.HEADER + TRAILER
                || !Segment.readFully(file, trailer, size - TRAILER)
                || trailer.getInt(0) != MAGIC) {
            return OptionalInt.empty();
        }
        int count = trailer.getInt(8);
        int expected = trailer.getInt(12);
        if (count < 0 || trailer.getLong(16) + bytes(count) != size) {
            return OptionalInt.empty();
        }
        trailer.putInt(4, 0).putInt(12, 0);
        return BlockPageLayout.checksum(trailer) == expected ? OptionalInt.of(count) : OptionalInt.empty();
    }

    /** Reads the footer of a file; empty if there is no intact one. */
    static Optional<SegmentFooter> read(FileChannel file) throws IOException {
        return read(file, () -> {});
    }

    private static Optional<SegmentFooter> read(FileChannel file, Runnable step) throws IOException {
        long size = file.size();
        ByteBuffer trailer = ByteBuffer.allocate(TRAILER).order(ByteOrder.LITTLE_ENDIAN);
        if (size < Segment.HEADER + TRAILER || !Segment.readFully(file, trailer, size - TRAILER)) {
            return Optional.empty();
        }
        int count = trailer.getInt(8);
        long position = trailer.getLong(16);
        if (trailer.getInt(0) != MAGIC || count < 0 || position < Segment.HEADER || position + bytes(count) != size) {
            return Optional.empty();
        }
        SegmentFooter footer = new SegmentFooter();
        int expected = trailer.getInt(4);
        trailer.putInt(4, 0);
        boolean checks =
                footer.entries.read(file, position, count, position, step) && footer.checksum(trailer) == expected;
        return checks ? Optional.of(footer) : Optional.empty();
    }
}
