package io.millrace.cache.disk;

import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
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
 * The lines of a footer as they stand in the file, 64 bytes each, since there may be half a million of them: one is an object only
 * while somebody looks at it. For one thread at a time until it is complete.
 */
final class FooterLines extends AbstractList<Footer.Line> implements RandomAccess {
    /** Bytes of a line. */
    static final int LINE = 64;

    /** Lines of a piece: read, and written, with one call. */
    private static final int PIECE = 1024;

    private static final int SEQUENCE = 32;
    private static final int START = 40;
    private static final int BODY_START = 44;
    private static final int BODY_BYTES = 48;
    private static final int RECORD_BYTES = 52;
    private static final int KIND = 56;

    /** Each but the last is full. */
    private final List<ByteBuffer> pieces = new ArrayList<>();

    private int count;

    /**
     * Reads so many from a position on.
     *
     * @param end of the records they tell of
     * @param step run after each call that reads
     * @return whether all of them are there and make sense
     */
    boolean read(FileChannel file, long position, int lines, long end, Runnable step) throws IOException {
        for (int first = 0; first < lines; first += PIECE) {
            ByteBuffer piece = piece(Math.min(PIECE, lines - first));
            if (!Segment.readFully(file, piece, position + (long) first * LINE)) {
                return false;
            }
            pieces.add(piece);
            step.run();
        }
        count = lines;
        for (int i = 0; i < lines; i++) {
            if (!makesSense(i, end)) {
                return false;
            }
        }
        return true;
    }

    private boolean makesSense(int line, long end) {
        int recordBytes = number(line, RECORD_BYTES);
        return Kind.isCode(code(line)) && recordBytes > 0 && start(line) + recordBytes <= end;
    }

    /** Writes all of them at the file's position. */
    void write(FileChannel file) throws IOException {
        for (int first = 0; first < count; first += PIECE) {
            Segment.writeFully(file, content(first / PIECE));
        }
    }

    /** Adds their bytes to a sum. */
    void sum(Checksum sum) {
        for (int first = 0; first < count; first += PIECE) {
            sum.update(content(first / PIECE));
        }
    }

    /** What of a piece is lines. */
    private ByteBuffer content(int piece) {
        int lines = Math.min(PIECE, count - piece * PIECE);
        return pieces.get(piece).duplicate().position(0).limit(lines * LINE);
    }

    @Override
    public boolean add(Footer.Line line) {
        if (count == pieces.size() * PIECE) {
            pieces.add(piece(PIECE));
        }
        int at = count % PIECE * LINE;
        pieces.get(count / PIECE)
                .putLong(at, line.key().high())
                .putLong(at + 8, line.key().low())
                .putLong(at + 16, line.version().high())
                .putLong(at + 24, line.version().low())
                .putLong(at + SEQUENCE, line.sequence())
                .putInt(at + START, (int) (line.start() / Entry.UNIT))
                .putInt(at + BODY_START, line.bodyStart())
                .putInt(at + BODY_BYTES, line.bodyBytes())
                .putInt(at + RECORD_BYTES, line.recordBytes())
                .putLong(at + KIND, (line.label() << 8) | line.kind().code());
        count++;
        return true;
    }

    @Override
    public Footer.Line get(int line) {
        Objects.checkIndex(line, count);
        ByteBuffer in = pieces.get(line / PIECE);
        int at = line % PIECE * LINE;
        return new Footer.Line(
                new Fingerprint(in.getLong(at), in.getLong(at + 8)),
                new Fingerprint(in.getLong(at + 16), in.getLong(at + 24)),
                in.getLong(at + SEQUENCE),
                start(line),
                in.getInt(at + BODY_START),
                in.getInt(at + BODY_BYTES),
                in.getInt(at + RECORD_BYTES),
                Kind.of(code(line)),
                in.getLong(at + KIND) >>> 8);
    }

    @Override
    public int size() {
        return count;
    }

    long sequence(int line) {
        return pieces.get(line / PIECE).getLong(line % PIECE * LINE + SEQUENCE);
    }

    /** Whether it says what a key is. */
    boolean isHead(int line) {
        return Footer.isHead(Kind.of(code(line)));
    }

    private byte code(int line) {
        return pieces.get(line / PIECE).get(line % PIECE * LINE + KIND);
    }

    private long start(int line) {
        return Integer.toUnsignedLong(number(line, START)) * Entry.UNIT;
    }

    private int number(int line, int field) {
        return pieces.get(line / PIECE).getInt(line % PIECE * LINE + field);
    }

    private static ByteBuffer piece(int lines) {
        return ByteBuffer.allocate(lines * LINE).order(ByteOrder.LITTLE_ENDIAN);
    }
}
