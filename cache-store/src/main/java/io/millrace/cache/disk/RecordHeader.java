package io.millrace.cache.disk;

import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What stands before a body:
 *
 * <pre>
 *   0  u32  magic "MREC"               56  u64  block number
 *   4  u32  CRC32C from byte 8 on      64  u64  derivation, reserved
 *   8  u8   kind                       72  u64  ownership epoch, reserved
 *   9  u8   encoding, 0                80  u64  written, ms
 *  10  u16  flags, 0                   88  u32  body's start in the record
 *  12  u32  bytes of the record        92  u32  bytes of the body
 *  16  u64  sequence                   96  u32  bytes of the head part
 *  24  128  fingerprint               100  u32  page checksums
 *  40  128  version's fingerprint     104  u64  place: bit 62, segment, start / 64 in 24 bits; of earlier builds no bit 62, and
 *                                              22 bits of start / 64, or 0
 *                                     112  u64  label of its group, 56 bits; 0 where that was not told yet
 *                                     120  8    reserved
 * 128  u32  CRC32C of each page, then the head part
 * </pre>
 *
 * Little endian. docs/cache-store.md has the whole picture.
 *
 * @param recordBytes of the whole record, padding included
 * @param bodyStart from the record's first byte
 * @param place where it was written, as {@link #place} has it
 * @param label of its group, 56 bits; 0 where that was not told yet
 */
record RecordHeader(
        Kind kind,
        int recordBytes,
        long sequence,
        Fingerprint key,
        Fingerprint version,
        long block,
        long writtenMillis,
        int bodyStart,
        int bodyBytes,
        int headPartBytes,
        long place,
        long label) {
    static final int FIXED = 128;
    static final int MAGIC = 0x4345524D; // "MREC"

    static final int PLACE_AT = 104;

    /** Tells a place from those that earlier builds wrote, whose positions had 22 bits. */
    private static final long PLACE_OF_24_BITS = 1L << 62;

    private static final int LABEL_AT = 112;
    private static final long LABEL = (1L << 56) - 1;
    private static final int CRC_AT = 4;
    private static final int CRC_FROM = 8;
    private static final int DISK_PAGE = 4096;
    private static final int MAX_RECORD = FIXED
            + 4 * Pages.count(Entry.MAX_BODY)
            + RecordDraft.MAX_HEAD_PART
            + DISK_PAGE
            + Entry.MAX_BODY
            + Entry.UNIT;

    /** The header of a draft whose record begins at {@code position} of its segment, by the number in the file's name. */
    static RecordHeader of(RecordDraft draft, int segment, long position, long nowMillis) {
        int body = draft.bodyBytes();
        int before = FIXED + 4 * Pages.count(body) + draft.headPart().remaining();
        // A body of some size begins on a page of the file system, so that sending it touches no page but its own.
        int unit = body >= Pages.SIZE ? DISK_PAGE : Entry.UNIT;
        int bodyStart = (int) (roundUp(position + before, unit) - position);
        return new RecordHeader(
                draft.kind(),
                (int) roundUp(bodyStart + (long) body, Entry.UNIT),
                draft.sequence(),
                draft.key(),
                draft.version(),
                draft.block(),
                nowMillis,
                bodyStart,
                body,
                draft.headPart().remaining(),
                place(segment, position),
                0);
    }

    private static long place(int segment, long position) {
        return PLACE_OF_24_BITS | ((long) segment << 24) | (position / Entry.UNIT);
    }

    /** As earlier builds wrote it: of large segments it told nothing. */
    private static long formerPlace(int segment, long position) {
        return ((long) segment << 22) | (position / Entry.UNIT);
    }

    /** Whether it lies where it was written: a record of another place, or of an older time, checks by itself. */
    boolean isAt(int segment, long position) {
        return place == 0
                || place == place(segment, position)
                || (position / Entry.UNIT < 1 << 22 && place == formerPlace(segment, position));
    }

    /** The same with the label of its group. */
    RecordHeader labelled(long group) {
        return new RecordHeader(
                kind,
                recordBytes,
                sequence,
                key,
                version,
                block,
                writtenMillis,
                bodyStart,
                bodyBytes,
                headPartBytes,
                place,
                group);
    }

    /** Everything before the body, padding included. */
    ByteBuffer encode(int[] checksums, ByteBuffer headPart) {
        ByteBuffer out = ByteBuffer.allocateDirect(bodyStart).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0, MAGIC).put(8, (byte) kind.code()).putInt(12, recordBytes).putLong(16, sequence);
        put(out, 24, key);
        put(out, 40, version);
        out.putLong(56, block).putLong(80, writtenMillis);
        out.putInt(88, bodyStart)
                .putInt(92, bodyBytes)
                .putInt(96, headPartBytes)
                .putInt(100, checksums.length)
                .putLong(PLACE_AT, place)
                .putLong(LABEL_AT, label);
        out.position(FIXED);
        for (int checksum : checksums) {
            out.putInt(checksum);
        }
        out.put(headPart.duplicate());
        out.position(0);
        sign(out, beforeBody());
        return out;
    }

    /** Puts the checksum into a record's first bytes that fits them. */
    static void sign(ByteBuffer record, int beforeBody) {
        ByteBuffer bytes = record.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(CRC_AT, Pages.checksum(bytes.duplicate().position(CRC_FROM).limit(beforeBody)));
    }

    /** Reads the fixed part; empty if this is no record that may follow. */
    static Optional<RecordHeader> decodeFixed(ByteBuffer bytes) {
        ByteBuffer in = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        if (in.remaining() < FIXED || in.getInt(0) != MAGIC || !Kind.isCode(in.get(8)) || in.get(9) != 0) {
            return Optional.empty();
        }
        RecordHeader header = new RecordHeader(
                Kind.of(in.get(8)),
                in.getInt(12),
                in.getLong(16),
                fingerprint(in, 24),
                fingerprint(in, 40),
                in.getLong(56),
                in.getLong(80),
                in.getInt(88),
                in.getInt(92),
                in.getInt(96),
                in.getLong(PLACE_AT),
                in.getLong(LABEL_AT) & LABEL);
        return header.isSound() && in.getInt(100) == header.pages() ? Optional.of(header) : Optional.empty();
    }

    /** Reads the header of a record, and checks it with all that stands before the body; empty if it is not what was written. */
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
     * Reads the head part of a record; empty if it is not the one that is meant, or not what was written.
     *
     * @param beforeBody bytes from the record's first to its body
     */
    static Optional<ByteBuffer> headPart(
            FileChannel file, long position, int beforeBody, Predicate<RecordHeader> isMeant) throws IOException {
        ByteBuffer before = ByteBuffer.allocate(beforeBody);
        if (!Segment.readFully(file, before, position)) {
            return Optional.empty();
        }
        return decodeFixed(before)
                .filter(isMeant)
                .filter(header -> header.checks(before))
                .map(header -> header.headPart(before));
    }

    /** Whether these bytes, from the record's first to its body, are what was written. */
    boolean checks(ByteBuffer bytes) {
        ByteBuffer in = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
        return in.remaining() >= beforeBody()
                && in.getInt(CRC_AT)
                        == Pages.checksum(in.duplicate().position(CRC_FROM).limit(beforeBody()));
    }

    /** The checksum of page {@code number}, out of the bytes before the body. */
    static int checksum(ByteBuffer bytes, int number) {
        return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt(FIXED + 4 * number);
    }

    /** The head part, out of the bytes before the body. */
    ByteBuffer headPart(ByteBuffer bytes) {
        return bytes.duplicate()
                .position(FIXED + 4 * pages())
                .limit(beforeBody())
                .slice();
    }

    /** Bytes up to the end of the head part. */
    int beforeBody() {
        return FIXED + 4 * pages() + headPartBytes;
    }

    /** Whether it is found by this fingerprint: its own, or that of the one block of an object record. */
    boolean isFoundBy(Fingerprint fingerprint, FingerprintHash hash) {
        return key.equals(fingerprint)
                || (kind == Kind.OBJECT && hash.of(version, 0).equals(fingerprint));
    }

    int pages() {
        return Pages.count(bodyBytes);
    }

    private boolean isSound() {
        return headPartBytes >= 0
                && headPartBytes <= RecordDraft.MAX_HEAD_PART
                && bodyBytes >= 0
                && bodyBytes <= Entry.MAX_BODY
                && bodyStart >= beforeBody()
                && bodyStart <= Entry.MAX_BODY_START
                && bodyStart % Entry.UNIT == 0
                && recordBytes <= MAX_RECORD
                && recordBytes == roundUp((long) bodyStart + bodyBytes, Entry.UNIT);
    }

    private static void put(ByteBuffer out, int at, Fingerprint fingerprint) {
        out.putLong(at, fingerprint.high()).putLong(at + 8, fingerprint.low());
    }

    private static Fingerprint fingerprint(ByteBuffer in, int at) {
        return new Fingerprint(in.getLong(at), in.getLong(at + 8));
    }

    static long roundUp(long bytes, int unit) {
        return (bytes + unit - 1) / unit * unit;
    }
}
