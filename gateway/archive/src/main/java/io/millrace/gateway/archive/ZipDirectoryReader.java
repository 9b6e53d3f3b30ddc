package io.millrace.gateway.archive;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.OptionalInt;

/**
 * A scanner of zips: reads the end record, of a zip64 also the one before it, and then the central directory, an entry
 * at a time. What is before the directory is not read.
 */
final class ZipDirectoryReader extends CollectingScanner {
    private enum State {
        TAIL,
        ZIP64_END,
        DIRECTORY
    }

    private final ArchiveLimits limits;
    private final MemberConsumer members;
    private final Extents extents = new Extents();
    private State state = State.TAIL;
    private ZipEnd end;

    ZipDirectoryReader(long size, ArchiveLimits limits, MemberConsumer members) {
        super(size);
        this.limits = limits;
        this.members = members;
        // Until it was read.
        end = new ZipEnd(size, 0, 0, size, false);
        int tail = (int) Math.min(size, ZipEnd.MAX_TAIL_BYTES);
        if (tail == 0) {
            throw noZip(0);
        }
        await(size - tail, new byte[tail], tail);
    }

    @Override
    public long wantedLength() {
        return state == State.DIRECTORY && !isDone() ? end.position() - wanted() : super.wantedLength();
    }

    @Override
    void parse(byte[] header, long start, int length) {
        ByteBuffer bytes = ByteBuffer.wrap(header, 0, length).order(ByteOrder.LITTLE_ENDIAN);
        switch (state) {
            case TAIL -> parseTail(bytes, start);
            case ZIP64_END -> awaitDirectory(ZipEnd.ofZip64(bytes, 0, start));
            case DIRECTORY -> parseEntry(bytes, start, header);
        }
    }

    private void parseTail(ByteBuffer tail, long start) {
        int at = ZipEnd.find(tail);
        if (at < 0) {
            throw noZip(start);
        }
        ZipEnd found = ZipEnd.of(tail, at, start);
        long zip64 = found.zip64Position(tail, at);
        if (zip64 < 0) {
            awaitDirectory(found);
        } else if (zip64 < start) {
            state = State.ZIP64_END;
            await(zip64, new byte[ZipEnd.ZIP64_BYTES], ZipEnd.ZIP64_BYTES);
        } else {
            awaitDirectory(ZipEnd.ofZip64(tail, (int) (zip64 - start), zip64));
        }
    }

    private static ArchiveException noZip(long position) {
        return ArchiveException.damaged(position, "there is no end record of a zip where one should be");
    }

    private void awaitDirectory(ZipEnd found) {
        found.check(limits);
        end = found;
        state = State.DIRECTORY;
        awaitEntry(found.directoryStart(), new byte[1024]);
    }

    private void awaitEntry(long start, byte[] into) {
        if (start == end.position()) {
            checkCount();
            end();
        } else if (end.position() - start < ZipDirectoryEntry.BYTES) {
            throw ArchiveException.damaged(start, "the directory ends within an entry");
        } else {
            await(start, into, ZipDirectoryEntry.BYTES);
        }
    }

    private void parseEntry(ByteBuffer bytes, long start, byte[] header) {
        int length = ZipDirectoryEntry.lengthOf(bytes);
        if (length < 0) {
            throw ArchiveException.damaged(start, "there is no entry of the directory where one should be");
        }
        if (length > end.position() - start) {
            throw ArchiveException.damaged(start, "an entry reaches beyond the directory");
        }
        if (bytes.limit() < length) {
            awaitRest(length);
            return;
        }
        take(ZipDirectoryEntry.of(bytes, start), start);
        awaitEntry(start + length, header);
    }

    private void take(ZipDirectoryEntry entry, long start) {
        long header = headerPosition(entry, start);
        MemberName name = entry.name(limits.nameBytes());
        HiddenReason reason = entry.hidden();
        if (reason == null) {
            reason = name.hidden();
        }
        if (reason != null) {
            members.hidden(reason);
            return;
        }
        if (!entry.isDeflated() && entry.size() != entry.storedSize()) {
            throw ArchiveException.damaged(start, "an entry that is not compressed has two sizes");
        }
        members.member(new ArchiveMember(
                name.text(),
                header,
                entry.storedSize(),
                entry.size(),
                entry.isDeflated(),
                OptionalInt.of(entry.crc32())));
    }

    /** Returns the place of an entry's local header, after which its data have room before the directory. */
    private long headerPosition(ZipDirectoryEntry entry, long start) {
        int headerLength = ZipLocalHeader.BYTES + entry.nameLength();
        long last = end.directoryPosition() - headerLength;
        boolean isNumber = entry.headerPosition() >= 0 && entry.storedSize() >= 0 && entry.size() >= 0;
        // In this order no difference is too small for a long.
        if (!isNumber || entry.headerPosition() > last || entry.storedSize() > last - entry.headerPosition()) {
            throw ArchiveException.damaged(start, "the data of an entry are not before the directory");
        }
        if (extents.count() == limits.members()) {
            throw ArchiveException.tooLarge(
                    start, "the archive has more entries than the %d that are read".formatted(limits.members()));
        }
        long header = end.prefix() + entry.headerPosition();
        extents.add(header, header + headerLength + entry.storedSize());
        return header;
    }

    private void checkCount() {
        if (!end.hasCount(extents.count())) {
            throw ArchiveException.damaged(
                    end.position(),
                    "the directory has %d entries, and the end record says %d"
                            .formatted(extents.count(), end.entries()));
        }
    }

    @Override
    public void verify() {
        long overlap = extents.firstOverlap();
        if (overlap >= 0) {
            throw ArchiveException.damaged(overlap, "an entry begins before another one has ended");
        }
    }
}
