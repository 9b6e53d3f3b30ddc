package io.millrace.gateway.archive;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** The common part of scanners: collects the bytes of a header, however they come, and then lets it be parsed. */
abstract sealed class CollectingScanner implements ArchiveScanner permits TarScanner, ZipDirectoryReader {
    final long size;

    /** The bytes that are collected now: {@code length} of the archive from {@code start} on. */
    private byte[] header = {};

    private long start;
    private int length;
    private int filled;

    CollectingScanner(long size) {
        this.size = size;
    }

    @Override
    public long wanted() {
        return start + filled;
    }

    @Override
    public long wantedLength() {
        return (long) length - filled;
    }

    @Override
    public boolean isDone() {
        return start == size;
    }

    @Override
    public void accept(ByteBuffer bytes, long position) {
        if (position > wanted()) {
            throw new IllegalArgumentException("bytes from %d on, where %d is wanted".formatted(position, wanted()));
        }
        int first = bytes.position();
        long end = Math.min(position + bytes.remaining(), size);
        // A zip is wanted from its end: what comes next may be before these bytes.
        while (position <= wanted() && wanted() < end) {
            int count = (int) Math.min(length - filled, end - wanted());
            bytes.get(first + (int) (wanted() - position), header, filled, count);
            filled += count;
            if (filled == length) {
                parse(header, start, length);
            }
        }
        bytes.position(bytes.limit());
    }

    /**
     * Parses what was collected, and awaits what comes next.
     *
     * @param header valid until then
     */
    abstract void parse(byte[] header, long start, int length);

    /** Awaits bytes within the archive, at least one. */
    final void await(long start, byte[] header, int length) {
        this.header = header;
        this.start = start;
        this.length = length;
        filled = 0;
    }

    /** Awaits more bytes of what was collected, which stays. */
    final void awaitRest(int wholeLength) {
        if (header.length < wholeLength) {
            header = Arrays.copyOf(header, wholeLength);
        }
        length = wholeLength;
    }

    final void end() {
        await(size, header, 0);
    }
}
