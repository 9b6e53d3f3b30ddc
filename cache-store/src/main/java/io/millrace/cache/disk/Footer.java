package io.millrace.cache.disk;

import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The list of its records that ends a sealed segment: what the index is built from. A segment whose footer does not check
 * is read record by record.
 */
final class Footer {
    private static final int ENTRY = 64;
    private static final int TRAILER = 64;
    private static final int MAGIC = 0x5446524D; // "MRFT"

    private final List<Line> lines = new ArrayList<>();

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
            return kind == Kind.HEAD || kind == Kind.OBJECT;
        }

        /** The head part of the record, which may wait for the disk; empty if it does not check. */
        Optional<ByteBuffer> headPart(FileChannel file) throws IOException {
            ByteBuffer before = ByteBuffer.allocate(bodyStart);
            if (!Segment.readFully(file, before, start)) {
                return Optional.empty();
            }
            return RecordHeader.decodeFixed(before)
                    .filter(header -> header.bodyStart() == bodyStart
                            && header.sequence() == sequence
                            && header.key().equals(key)
                            && header.checks(before))
                    .map(header -> header.headPart(before));
        }

        Entry entry(int segment) {
            return Entry.of(segment, start, bodyStart, bodyBytes, kind);
        }
    }

    void add(Line line) {
        lines.add(line);
    }

    List<Line> lines() {
        return lines;
    }

    /** The lowest sequence number; the highest there is if there are no records. */
    long lowestSequence() {
        return lines.stream().mapToLong(Line::sequence).min().orElse(Long.MAX_VALUE);
    }

    /** The lowest number of what says what a key is; the highest there is if nothing does. */
    long lowestHead() {
        return lines.stream()
                .filter(Line::isHead)
                .mapToLong(Line::sequence)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** Bytes it takes in the file. */
    static long bytes(int lines) {
        return (long) lines * ENTRY + TRAILER;
    }

    /** What stands at {@code position}, behind the last record. */
    ByteBuffer encode(long position) {
        ByteBuffer out = ByteBuffer.allocateDirect((int) bytes(lines.size())).order(ByteOrder.LITTLE_ENDIAN);
        for (Line line : lines) {
            out.putLong(line.key().high()).putLong(line.key().low());
            out.putLong(line.version().high()).putLong(line.version().low()).putLong(line.sequence());
            out.putInt((int) (line.start() / Entry.UNIT))
                    .putInt(line.bodyStart())
                    .putInt(line.bodyBytes());
            out.putInt(line.recordBytes())
                    .putLong((line.label() << 8) | line.kind().code());
        }
        int trailer = out.position();
        out.putInt(trailer, MAGIC).putInt(trailer + 8, lines.size()).putLong(trailer + 16, lowestSequence());
        out.putLong(trailer + 24, lines.stream().mapToLong(Line::sequence).max().orElse(0));
        out.putLong(trailer + 32, position);
        out.putInt(
                trailer + 12, Pages.checksum(out.duplicate().position(trailer).limit(trailer + TRAILER)));
        out.putInt(trailer + 4, Pages.checksum(out.duplicate().position(0).limit(trailer + TRAILER)));
        return out.position(0).limit(trailer + TRAILER);
    }

    /** The records of a file: as its footer tells, or as they are found in it. */
    static Footer of(FileChannel file) throws IOException {
        Optional<Footer> written = read(file);
        return written.isPresent() ? written.get() : SegmentScan.of(file).found();
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
        ByteBuffer all = ByteBuffer.allocate((int) bytes(count)).order(ByteOrder.LITTLE_ENDIAN);
        if (!Segment.readFully(file, all, position)) {
            return Optional.empty();
        }
        int expected = all.getInt(count * ENTRY + 4);
        all.putInt(count * ENTRY + 4, 0);
        return Pages.checksum(all) == expected ? decode(all, count, position) : Optional.empty();
    }

    private static Optional<Footer> decode(ByteBuffer in, int count, long end) {
        Footer footer = new Footer();
        for (int i = 0; i < count; i++) {
            int at = i * ENTRY;
            if (!Kind.isCode(in.get(at + 56))) {
                return Optional.empty();
            }
            Line line = new Line(
                    new Fingerprint(in.getLong(at), in.getLong(at + 8)),
                    new Fingerprint(in.getLong(at + 16), in.getLong(at + 24)),
                    in.getLong(at + 32),
                    Integer.toUnsignedLong(in.getInt(at + 40)) * Entry.UNIT,
                    in.getInt(at + 44),
                    in.getInt(at + 48),
                    in.getInt(at + 52),
                    Kind.of(in.get(at + 56)),
                    in.getLong(at + 56) >>> 8);
            if (line.recordBytes() <= 0 || line.start() + line.recordBytes() > end) {
                return Optional.empty();
            }
            footer.add(line);
        }
        return Optional.of(footer);
    }
}
