package io.millrace.cache.disk;

import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The list of its records that ends a sealed segment: what the index is built from. A segment whose footer does not check
 * is read record by record.
 */
final class Footer {
    private static final int TRAILER = 64;
    private static final int MAGIC = 0x5446524D; // "MRFT"

    private final FooterLines lines = new FooterLines();

    /**
     * A record of the segment.
     *
     * @param label of its group, 56 bits; 0 where that was not told yet
     */
    record Line(
            Fingerprint key,
            Fingerprint version,
            long sequence,
            long start,
            int bodyStart,
            int bodyBytes,
            int recordBytes,
            Kind kind,
            long label) {
        static Line of(RecordHeader header, long start) {
            return new Line(
                    header.key(),
                    header.version(),
                    header.sequence(),
                    start,
                    header.bodyStart(),
                    header.bodyBytes(),
                    header.recordBytes(),
                    header.kind(),
                    header.label());
        }

        /** Of the block that an object record holds besides its head. */
        Entry blockEntry(int segment) {
            return Entry.of(segment, start, bodyStart, bodyBytes, Kind.BLOCK);
        }

        /** Whether it says what a key is. */
        boolean isHead() {
            return Footer.isHead(kind);
        }

        /** The head part of the record, which may wait for the disk; empty if it does not check. */
        Optional<ByteBuffer> headPart(FileChannel file) throws IOException {
            return RecordHeader.headPart(
                    file,
                    start,
                    bodyStart,
                    header -> header.bodyStart() == bodyStart
                            && header.sequence() == sequence
                            && header.key().equals(key));
        }

        Entry entry(int segment) {
            return Entry.of(segment, start, bodyStart, bodyBytes, kind);
        }
    }

    static boolean isHead(Kind kind) {
        return kind == Kind.HEAD || kind == Kind.OBJECT;
    }

    void add(Line line) {
        lines.add(line);
    }

    /** The lines, each made when it is asked for. */
    List<Line> lines() {
        return lines;
    }

    /** The lowest number of what says what a key is; the highest there is if nothing does. */
    long lowestHead() {
        long lowest = Long.MAX_VALUE;
        for (int i = 0; i < lines.size(); i++) {
            lowest = lines.isHead(i) ? Math.min(lowest, lines.sequence(i)) : lowest;
        }
        return lowest;
    }

    /** Bytes it takes in the file. */
    static long bytes(int lines) {
        return (long) lines * FooterLines.LINE + TRAILER;
    }

    /**
     * Writes it at the file's position.
     *
     * @param position which is this one, behind the last record
     */
    void write(FileChannel file, long position) throws IOException {
        lines.write(file);
        Segment.writeFully(file, trailer(position));
    }

    private ByteBuffer trailer(long position) {
        long lowest = Long.MAX_VALUE;
        long highest = 0;
        for (int i = 0; i < lines.size(); i++) {
            lowest = Math.min(lowest, lines.sequence(i));
            highest = Math.max(highest, lines.sequence(i));
        }
        ByteBuffer trailer = ByteBuffer.allocate(TRAILER).order(ByteOrder.LITTLE_ENDIAN);
        trailer.putInt(0, MAGIC).putInt(8, lines.size()).putLong(16, lowest);
        trailer.putLong(24, highest).putLong(32, position);
        trailer.putInt(12, Pages.checksum(trailer));
        return trailer.putInt(4, checksum(trailer));
    }

    /** CRC32C of the lines and a trailer. */
    private int checksum(ByteBuffer trailer) {
        CRC32C sum = new CRC32C();
        lines.sum(sum);
        sum.update(trailer.duplicate());
        return (int) sum.getValue();
    }

    /** The records of a file: as its footer tells, or as they are found in it. */
    static Footer of(FileChannel file) throws IOException {
        return of(file, () -> {});
    }

    /**
     * The same for who is watched.
     *
     * @param step run again and again while that is read
     */
    static Footer of(FileChannel file, Runnable step) throws IOException {
        Optional<Footer> written = read(file, step);
        return written.isPresent() ? written.get() : SegmentScan.of(file, step).found();
    }

    /**
     * What the end of a footer tells.
     *
     * @param lines how many records there are
     * @param highestSequence of theirs
     */
    record Trailer(int lines, long highestSequence) {}

    /** The end of a file's footer; empty if it has none that checks. */
    static Optional<Trailer> trailer(FileChannel file) throws IOException {
        long size = file.size();
        ByteBuffer trailer = ByteBuffer.allocate(TRAILER).order(ByteOrder.LITTLE_ENDIAN);
        if (size < Segment.HEADER + TRAILER
                || !Segment.readFully(file, trailer, size - TRAILER)
                || trailer.getInt(0) != MAGIC) {
            return Optional.empty();
        }
        int lines = trailer.getInt(8);
        int expected = trailer.getInt(12);
        if (lines < 0 || trailer.getLong(32) + bytes(lines) != size) {
            return Optional.empty();
        }
        trailer.putInt(4, 0).putInt(12, 0);
        return Pages.checksum(trailer) == expected
                ? Optional.of(new Trailer(lines, trailer.getLong(24)))
                : Optional.empty();
    }

    /** The footer of a file, or empty if it has none that checks. */
    static Optional<Footer> read(FileChannel file) throws IOException {
        return read(file, () -> {});
    }

    private static Optional<Footer> read(FileChannel file, Runnable step) throws IOException {
        long size = file.size();
        ByteBuffer trailer = ByteBuffer.allocate(TRAILER).order(ByteOrder.LITTLE_ENDIAN);
        if (size < Segment.HEADER + TRAILER || !Segment.readFully(file, trailer, size - TRAILER)) {
            return Optional.empty();
        }
        int count = trailer.getInt(8);
        long position = trailer.getLong(32);
        if (trailer.getInt(0) != MAGIC || count < 0 || position < Segment.HEADER || position + bytes(count) != size) {
            return Optional.empty();
        }
        Footer footer = new Footer();
        int expected = trailer.getInt(4);
        trailer.putInt(4, 0);
        boolean checks =
                footer.lines.read(file, position, count, position, step) && footer.checksum(trailer) == expected;
        return checks ? Optional.of(footer) : Optional.empty();
    }
}
