package io.millrace.gateway.archive;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A scanner of tars, from the first header to two blocks of zeros or the end. It knows v7, ustar with prefixes, GNU
 * tar's long names and binary sizes, and PAX headers with names and sizes, also global ones.
 *
 * <p>Links, folders and devices have no data, whatever their size says (POSIX); entries of unknown types have.
 */
final class TarScanner extends CollectingScanner {
    private static final int BYTES = TarHeader.BYTES;

    /** The place in a block of a sparse file's map of the byte that says whether another one follows. */
    private static final int MAP_CONTINUED = 504;

    /** The first bytes of a gzip (RFC 1952). */
    private static final int GZIP = 0x1f8b;

    /** The first bytes of a frame of Zstandard (RFC 8878), in the order of the file. */
    private static final int ZSTD = 0x28b52ffd;

    private enum State {
        HEADER,
        /** Within the data of a header that belongs to later ones. */
        EXTENSION,
        /** Within the map of a sparse file, which lies between its header and its data. */
        MAP
    }

    private final byte[] block = new byte[BYTES];
    private final ArchiveLimits limits;
    private final MemberConsumer members;
    private State state = State.HEADER;
    private boolean isAfterZeros;

    /** The type of the header whose data are collected. */
    private byte extensionType;

    /** The bytes of data after a map. */
    private long sparseSize;

    private PaxRecords global = PaxRecords.NONE;

    /** The records for the next entry alone, with the global ones that they do not replace. */
    private @Nullable PaxRecords own;

    private byte @Nullable [] longName;

    TarScanner(long size, ArchiveLimits limits, MemberConsumer members) {
        super(size);
        this.limits = limits;
        this.members = members;
        awaitHeader(0);
    }

    private void awaitHeader(long start) {
        state = State.HEADER;
        if (start < size) {
            await(start, block, (int) Math.min(BYTES, size - start));
        } else {
            endWithoutDebt(start);
        }
    }

    /** Ends the scan, if no header promised an entry. */
    private void endWithoutDebt(long position) {
        if (longName != null || own != null) {
            throw ArchiveException.damaged(position, "the entry that an extended header belongs to is missing");
        }
        end();
    }

    @Override
    public void verify() {
        // Each entry begins where the one before has ended.
    }

    @Override
    void parse(byte[] header, long start, int length) {
        switch (state) {
            case HEADER -> parseHeader(start, length);
            case EXTENSION -> {
                parseExtension(header, start);
                awaitHeader(dataEnd(start, start, length));
            }
            case MAP -> awaitMapOrData(start + BYTES, block[MAP_CONTINUED] != 0);
        }
    }

    private void parseHeader(long start, int length) {
        if (isZero(length)) {
            if (isAfterZeros || length < BYTES) {
                endWithoutDebt(start);
            } else {
                isAfterZeros = true;
                awaitHeader(start + BYTES);
            }
            return;
        }
        if (isAfterZeros) {
            throw ArchiveException.damaged(start - BYTES, "there is one block of zeros, where two end a tar");
        }
        TarHeader header = new TarHeader(block);
        if (length < BYTES || !header.hasRightChecksum()) {
            if (start == 0) {
                requireUncompressed();
            }
            throw ArchiveException.damaged(start, "there is no header of a tar where one should be");
        }
        long dataSize = header.size();
        if (dataSize < 0) {
            throw ArchiveException.damaged(start, "the size of an entry is no number");
        }
        switch (header.type()) {
            case 'x', 'X', 'g', 'L' -> awaitExtension(header.type(), start, dataSize);
            case 'K' -> awaitHeader(dataEnd(start, start + BYTES, dataSize));
            default -> entry(header, start, dataSize);
        }
    }

    /** A name that ends in .tar says nothing of the bytes: a tool may have compressed them. */
    private void requireUncompressed() {
        int magic = ByteBuffer.wrap(block).getInt();
        String format = magic >>> 16 == GZIP ? "gzip" : magic == ZSTD ? "zstd" : "";
        if (!format.isEmpty()) {
            throw ArchiveException.unsupported(("it is compressed as a whole (%s), though it is named as a tar, so that"
                            + " no member of it can be read alone: decompress it once, and store that as .tar")
                    .formatted(format));
        }
    }

    private boolean isZero(int length) {
        for (int i = 0; i < length; i++) {
            if (block[i] != 0) {
                return false;
            }
        }
        return true;
    }

    private void awaitExtension(byte type, long start, long length) {
        if (length > limits.extendedHeaderBytes()) {
            throw ArchiveException.tooLarge(
                    start,
                    "an extended header has %d bytes, and at most %d are read"
                            .formatted(length, limits.extendedHeaderBytes()));
        }
        long end = dataEnd(start, start + BYTES, length);
        if (length == 0) {
            awaitHeader(end);
            return;
        }
        state = State.EXTENSION;
        extensionType = type;
        await(start + BYTES, new byte[(int) length], (int) length);
    }

    private void parseExtension(byte[] data, long start) {
        if (extensionType == 'L') {
            longName = untilNul(data);
        } else if (extensionType == 'g') {
            global = global.replacedBy(data, start);
        } else {
            own = records().replacedBy(data, start);
        }
    }

    private static byte[] untilNul(byte[] data) {
        int end = 0;
        while (end < data.length && data[end] != 0) {
            end++;
        }
        return Arrays.copyOf(data, end);
    }

    private void entry(TarHeader header, long start, long headerSize) {
        long data = start + BYTES;
        PaxRecords records = records();
        long length = records.size() < 0 ? headerSize : records.size();
        if (!hasData(header.type())) {
            length = 0;
        }
        long end = dataEnd(start, data, length);
        byte[] name = name(header, records);
        HiddenReason reason = reason(header, name, records);
        own = null;
        longName = null;
        MemberName checked = MemberName.of(name, 0, name.length, limits.nameBytes());
        if (reason == null) {
            reason = checked.hidden();
        }
        if (reason == null) {
            members.member(ArchiveMember.ofTar(checked.text(), data, length));
        } else {
            members.hidden(reason);
        }
        if (header.type() == 'S') {
            sparseSize = length;
            awaitMapOrData(data, header.isMapContinued());
        } else {
            awaitHeader(end);
        }
    }

    private static boolean hasData(byte type) {
        return type < '1' || type > '6';
    }

    private PaxRecords records() {
        return own == null ? global : own;
    }

    private byte[] name(TarHeader header, PaxRecords records) {
        if (records.path() != null) {
            return records.path();
        }
        return longName != null ? longName : header.name();
    }

    private static @Nullable HiddenReason reason(TarHeader header, byte[] name, PaxRecords records) {
        if (header.isRegular()) {
            if (records.isSparse()) {
                return HiddenReason.SPARSE;
            }
            // How v7 writes folders.
            return name.length > 0 && name[name.length - 1] == '/' ? HiddenReason.FOLDER : null;
        }
        return switch (header.type()) {
            case '1', '2' -> HiddenReason.LINK;
            case '3', '4', '6' -> HiddenReason.DEVICE;
            case '5' -> HiddenReason.FOLDER;
            case 'S' -> HiddenReason.SPARSE;
            default -> HiddenReason.OTHER;
        };
    }

    private void awaitMapOrData(long start, boolean isMap) {
        if (!isMap) {
            awaitHeader(dataEnd(start, start, sparseSize));
        } else if (size - start < BYTES) {
            throw ArchiveException.damaged(start, "the map of a sparse file reaches beyond the end of the archive");
        } else {
            state = State.MAP;
            await(start, block, BYTES);
        }
    }

    /** Returns the place of the block after data; the archive may end without the bytes that fill up the last one. */
    private long dataEnd(long header, long start, long length) {
        if (length > size - start) {
            throw ArchiveException.damaged(
                    header, "the %d bytes of an entry reach beyond the end of the archive".formatted(length));
        }
        long end = start + length;
        return end + Math.min(-end & (BYTES - 1), size - end);
    }
}
