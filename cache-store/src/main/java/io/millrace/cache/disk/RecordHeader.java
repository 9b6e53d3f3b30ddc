package io.millrace.cache.disk;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The header that precedes each cached block in a segment file:
 *
 * <pre>
 *   0  u32  magic "MREC"               56  u64  written, ms
 *   4  u32  CRC32C from byte 8 on      64  u32  body's start in the record
 *   8  u8   type, 1: a block           68  u32  bytes of the body
 *   9  u8   encoding, 0                72  u32  bytes of the identity
 *  10  u16  flags, 0                   76  u32  page checksums
 *  12  u32  bytes of the record        80  u64  place: segment << 24 | start / 64
 *  16  128  fingerprint                88  u64  label of its group
 *  32  u64  number of the block
 *  40  u64  derivation, reserved
 *  48  u64  ownership epoch, reserved
 *  96  u32  CRC32C of each page, then the identity
 * </pre>
 *
 * <p>Little endian. See docs/cache-store.md for the format of segments.
 *
 * @param recordBytes of the whole record, padding included
 * @param key the fingerprint of its block
 * @param number of the block in its object version
 * @param bodyStart from the record's first byte
 * @param place where it was written, as {@link #place} has it
 * @param label of its residency group
 */
record RecordHeader(
        int recordBytes,
        Fingerprint key,
        long number,
        long writtenMillis,
        int bodyStart,
        int bodyBytes,
        int identityBytes,
        long place,
        long label) {
    static final int FIXED = 96;
    static final int MAGIC = 0x4345524D; // "MREC"

    static final int PLACE_AT = 80;

    /** The key of records that were withdrawn. */
    private static final Fingerprint WITHDRAWN = new Fingerprint(0, 0);

    private static final int KEY_AT = 16;
    private static final byte BLOCK = 1;
    private static final int CRC_AT = 4;
    private static final int CRC_FROM = 8;
    private static final int DISK_PAGE = 4096;
    private static final int MAX_RECORD = FIXED
            + 4 * BlockPageLayout.count(IndexEntry.MAX_BODY)
            + BlockToWrite.MAX_IDENTITY
            + DISK_PAGE
            + IndexEntry.MAX_BODY
            + IndexEntry.UNIT;

    /**
     * Returns the header of a draft whose record begins at {@code position} of its segment.
     *
     * @param segment the number in the file's name
     * @param label of its residency group
     */
    static RecordHeader of(BlockToWrite draft, int segment, long position, long label, long nowMillis) {
        int body = draft.bodyBytes();
        int before = FIXED + 4 * BlockPageLayout.count(body) + draft.identity().remaining();
        // Larger bodies begin on a file system page, so that sending them touches no page of others.
        int unit = body >= BlockPageLayout.SIZE ? DISK_PAGE : IndexEntry.UNIT;
        int bodyStart = (int) (roundUp(position + before, unit) - position);
        return new RecordHeader(
                (int) roundUp(bodyStart + (long) body, IndexEntry.UNIT),
                draft.key(),
                draft.number(),
                nowMillis,
                bodyStart,
                body,
                draft.identity().remaining(),
                place(segment, position),
                label);
    }

    /** Returns the bytes that a draft's record takes at most, wherever it is written. */
    static int recordBytes(BlockToWrite draft) {
        return of(draft, 0, 0, 0, 0).recordBytes();
    }

    private static long place(int segment, long position) {
        return ((long) segment << 24) | (position / IndexEntry.UNIT);
    }

    /** Returns whether the record is where it was written: a misplaced record has valid checksums, too. */
    boolean isAt(int segment, long position) {
        return place == place(segment, position);
    }

    /** Encodes everything before the body, padding included. */
    ByteBuffer encode(int[] checksums, ByteBuffer identity) {
        ByteBuffer out = ByteBuffer.allocateDirect(bodyStart).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0, MAGIC).put(8, BLOCK).putInt(12, recordBytes);
        out.putLong(KEY_AT, key.high()).putLong(KEY_AT + Long.BYTES, key.low());
        out.putLong(32, number).putLong(56, writtenMillis);
        out.putInt(64, bodyStart)
                .putInt(68, bodyBytes)
                .putInt(72, identityBytes)
                .putInt(76, checksums.length)
                .putLong(PLACE_AT, place)
                .putLong(88, label);
        out.position(FIXED);
        for (int checksum : checksums) {
            out.putInt(checksum);
        }
        out.put(identity.duplicate());
        out.position(0);
        sign(out, beforeBody());
        return out;
    }

    /** Writes the checksum into the first bytes of a record. */
    static void sign(ByteBuffer record, int beforeBody) {
        ByteBuffer bytes = record.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(
                CRC_AT,
                BlockPageLayout.checksum(bytes.duplicate().position(CRC_FROM).limit(beforeBody)));
    }

    /**
     * Marks a written record as one of wrong bytes, so that no later run finds its block: it keeps its place and its
     * length, but no block has its key. Waits for the disk.
     *
     * @param key what the record has; another record, or none, stays as it is
     */
    static void withdraw(Path segment, long position, Fingerprint key) throws IOException {
        try (FileChannel file = FileChannel.open(segment, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            RecordHeader header = read(file, position).orElse(null);
            if (header == null || !header.key().equals(key)) {
                return;
            }
            ByteBuffer before = ByteBuffer.allocate(header.beforeBody()).order(ByteOrder.LITTLE_ENDIAN);
            if (!Segment.readFully(file, before, position)) {
                return;
            }
            before.putLong(KEY_AT, WITHDRAWN.high()).putLong(KEY_AT + Long.BYTES, WITHDRAWN.low());
            sign(before, header.beforeBody());
            for (long at = position; before.hasRemaining(); ) {
                at += file.write(before, at);
            }
            file.force(false);
        } catch (NoSuchFileException evicted) {
            // Nobody finds it any more.
        }
    }

    /** Returns whether the record at this position was withdrawn; false if it cannot be read. */
    static boolean isWithdrawn(FileChannel file, long position) {
        try {
            return read(file, position).filter(RecordHeader::isWithdrawn).isPresent();
        } catch (IOException unreadable) {
            return false;
        }
    }

    /** Returns whether the record has wrong bytes, see {@link #withdraw}. */
    boolean isWithdrawn() {
        return key.equals(WITHDRAWN);
    }

    /** Decodes the fixed part; empty if it is no valid header. */
    static Optional<RecordHeader> decodeFixed(ByteBuffer bytes) {
        ByteBuffer in = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (in.remaining() < FIXED || in.getInt(0) != MAGIC || in.get(8) != BLOCK || in.get(9) != 0) {
            return Optional.empty();
        }
        RecordHeader header = new RecordHeader(
                in.getInt(12),
                new Fingerprint(in.getLong(KEY_AT), in.getLong(KEY_AT + Long.BYTES)),
                in.getLong(32),
                in.getLong(56),
                in.getInt(64),
                in.getInt(68),
                in.getInt(72),
                in.getLong(PLACE_AT),
                in.getLong(88));
        return header.isSound() && in.getInt(76) == header.pages() ? Optional.of(header) : Optional.empty();
    }

    /** Reads and verifies the header of a record; empty if it is corrupt. */
    static Optional<RecordHeader> read(FileChannel file, long position) throws IOException {
        ByteBuffer fixed = ByteBuffer.allocate(FIXED);
        if (!Segment.readFully(file, fixed, position)) {
            return Optional.empty();
        }
        RecordHeader header = decodeFixed(fixed).orElse(null);
        if (header == null) {
            return Optional.empty();
        }
        ByteBuffer before = ByteBuffer.allocate(header.beforeBody());
        return Segment.readFully(file, before, position) && header.checks(before)
                ? Optional.of(header)
                : Optional.empty();
    }

    /**
     * Reads the identity of a record; empty if the record is corrupt or not the expected one.
     *
     * @param beforeBody bytes from the record's first to its body
     */
    static Optional<ByteBuffer> identity(
            FileChannel file, long position, int beforeBody, Predicate<RecordHeader> isMeant) throws IOException {
        ByteBuffer before = ByteBuffer.allocate(beforeBody);
        if (!Segment.readFully(file, before, position)) {
            return Optional.empty();
        }
        return decodeFixed(before)
                .filter(isMeant)
                .filter(header -> header.checks(before))
                .map(header -> header.identity(before));
    }

    /** Returns whether these bytes, from the record's first to its body, match their checksum. */
    boolean checks(ByteBuffer bytes) {
        ByteBuffer in = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        return in.remaining() >= beforeBody()
                && in.getInt(CRC_AT)
                        == BlockPageLayout.checksum(
                                in.duplicate().position(CRC_FROM).limit(beforeBody()));
    }

    /** Returns the checksum of page {@code number} from the bytes before the body. */
    static int checksum(ByteBuffer bytes, int number) {
        return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt(FIXED + 4 * number);
    }

    /** Returns the identity from the bytes before the body. */
    ByteBuffer identity(ByteBuffer bytes) {
        return bytes.duplicate()
                .position(FIXED + 4 * pages())
                .limit(beforeBody())
                .slice();
    }

    /** Returns the bytes up to the end of the identity. */
    int beforeBody() {
        return FIXED + 4 * pages() + identityBytes;
    }

    int pages() {
        return BlockPageLayout.count(bodyBytes);
    }

    private boolean isSound() {
        return identityBytes >= 0
                && identityBytes <= BlockToWrite.MAX_IDENTITY
                && bodyBytes >= 0
                && bodyBytes <= IndexEntry.MAX_BODY
                && bodyStart >= beforeBody()
                && bodyStart <= IndexEntry.MAX_BODY_START
                && bodyStart % IndexEntry.UNIT == 0
                && recordBytes <= MAX_RECORD
                && recordBytes == roundUp((long) bodyStart + bodyBytes, IndexEntry.UNIT);
    }

    static long roundUp(long bytes, int unit) {
        return (bytes + unit - 1) / unit * unit;
    }
}
