package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

/**
 * The segment files of one disk: creates and opens them, and counts their bytes until they are closed. {@link
 * #reopen} may be called by any thread, the rest only by the disk's writer.
 *
 * @param open segments of all disks
 */
record SegmentFiles(Path folder, UUID disk, DiskReadThreads reads, DiskSpace space, SegmentTable open) {
    /** Fails if the disk was unmounted, so that nothing is written to the folder below it. */
    void requireOwnFolder() throws IOException {
        if (Superblock.diskAt(folder).filter(disk::equals).isEmpty()) {
            throw new IOException("its superblock %s is gone".formatted(Superblock.NAME));
        }
    }

    /** Creates the next file, for as many bytes as the disk has room for. */
    Segment create() throws IOException {
        long bytes = space.segmentBytes();
        int number = open.nextNumber();
        Segment[] self = new Segment[1];
        self[0] = Segment.create(folder, number, disk, reads, () -> closed(self[0]));
        Segment segment = self[0];
        segment.bytes(bytes);
        space.take(bytes);
        open.add(segment);
        return segment;
    }

    /** Opens a file of an earlier run; {@link SealedSegments#adopt} takes it over. */
    Segment reopen(Path file, int number) throws IOException {
        Segment[] self = new Segment[1];
        self[0] = Segment.open(file, number, reads, () -> closed(self[0]));
        return self[0];
    }

    /** Counts the bytes that a file has, after the last was written. */
    void complete(Segment segment) {
        segment.isWritten();
        long bytes = sizeOf(segment);
        space.take(bytes - segment.bytes());
        segment.bytes(bytes);
    }

    private void closed(Segment segment) {
        space.take(-segment.bytes());
        if (segment.isRemoved()) {
            space.leaves(-segment.bytes());
        }
    }

    private static long sizeOf(Segment segment) {
        try {
            return segment.file().size();
        } catch (IOException e) {
            return segment.bytes();
        }
    }
}
