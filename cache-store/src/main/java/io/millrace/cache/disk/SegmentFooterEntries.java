package io.millrace.cache.disk;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexEntry;
import io.millrace.kit.file.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.RandomAccess;
import java.util.zip.Checksum;

/**
 * The entries of a segment file's footer (its index), kept encoded at 40 bytes each because there may be half a
 * million. An entry becomes an object only when it is read. For one thread at a time until it is complete.
 */
final class SegmentFooterEntries extends AbstractList<SegmentFooterEntry> implements RandomAccess {
    /** Bytes of an entry. */
    static final int ENTRY = 40;

    /** Entries of a chunk, which is read or written with one call. */
    private static final int PIECE = 1024;

    private static final int START = 16;
    private static final int BODY_START = 20;
    private static final int BODY_BYTES = 24;
    private static final int RECORD_BYTES = 28;
    private static final int LABEL = 32;

    /** Chunks of entries; all but the last are full. */
    private final List<ByteBuffer> pieces = new ArrayList<>();

    private int count;

    /**
     * Reads entries from a position on.
     *
     * @param end of the last record
     * @param step called after each read
     * @return whether all of them are there and valid
     */
    boolean read(FileChannel file, long position, int entries, long end, Runnable step) throws IOException {
        for (int first = 0; first < entries; first += PIECE) {
            ByteBuffer piece = piece(Math.min(PIECE, entries - first));
            if (!Segment.readFully(file, piece, position + (long) first * ENTRY)) {
                return false;
            }
            pieces.add(piece);
            step.run();
        }
        count = entries;
        for (int i = 0; i < entries; i++) {
            int recordBytes = number(i, RECORD_BYTES);
            if (recordBytes <= 0 || start(i) + recordBytes > end) {
                return false;
            }
        }
        return true;
    }

    /** Writes all entries at the file's position. */
    void write(FileChannel file) throws IOException {
        for (int first = 0; first < count; first += PIECE) {
            DurableFiles.writeFully(file, content(first / PIECE));
        }
    }

    /** Adds the bytes of all entries to a checksum. */
    void sum(Checksum sum) {
        for (int first = 0; first < count; first += PIECE) {
            sum.update(content(first / PIECE));
        }
    }

    /** Returns the used part of a chunk. */
    private ByteBuffer content(int piece) {
        int entries = Math.min(PIECE, count - piece * PIECE);
        return pieces.get(piece).duplicate().position(0).limit(entries * ENTRY);
    }

    @Override
    public boolean add(SegmentFooterEntry entry) {
        if (count == pieces.size() * PIECE) {
            pieces.add(piece(PIECE));
        }
        int at = count % PIECE * ENTRY;
        pieces.get(count / PIECE)
                .putLong(at, entry.key().high())
                .putLong(at + 8, entry.key().low())
                .putInt(at + START, (int) (entry.start() / IndexEntry.UNIT))
                .putInt(at + BODY_START, entry.bodyStart())
                .putInt(at + BODY_BYTES, entry.bodyBytes())
                .putInt(at + RECORD_BYTES, entry.recordBytes())
                .putLong(at + LABEL, entry.label());
        count++;
        return true;
    }

    @Override
    public SegmentFooterEntry get(int entry) {
        Objects.checkIndex(entry, count);
        ByteBuffer in = pieces.get(entry / PIECE);
        int at = entry % PIECE * ENTRY;
        return new SegmentFooterEntry(
                new Fingerprint(in.getLong(at), in.getLong(at + 8)),
                start(entry),
                in.getInt(at + BODY_START),
                in.getInt(at + BODY_BYTES),
                in.getInt(at + RECORD_BYTES),
                in.getLong(at + LABEL));
    }

    @Override
    public int size() {
        return count;
    }

    private long start(int entry) {
        return Integer.toUnsignedLong(number(entry, START)) * IndexEntry.UNIT;
    }

    private int number(int entry, int field) {
        return pieces.get(entry / PIECE).getInt(entry % PIECE * ENTRY + field);
    }

    private static ByteBuffer piece(int entries) {
        return ByteBuffer.allocate(entries * ENTRY).order(ByteOrder.LITTLE_ENDIAN);
    }
}
