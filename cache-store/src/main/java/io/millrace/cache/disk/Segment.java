package io.millrace.cache.disk;

import io.millrace.kit.file.DurableFiles;
import io.millrace.kit.file.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An append-only file of cached blocks that stays open for reading while it has references. The store holds one
 * reference until it removes the segment, and each reader one while it reads; the last release closes the file. Safe
 * for use by any number of threads.
 */
final class Segment {
    /** Bytes before the first record. */
    static final int HEADER = 64;

    static final int FORMAT = 2;
    static final String SUFFIX = ".seg";

    private static final Logger log = LoggerFactory.getLogger(Segment.class);
    private static final long MAGIC = 0x0100_0047_4553_524DL; // "MRSEG", 0, 0, 1

    private final int number;
    private final int named;
    private final Path path;
    private final FileChannel file;

    /**
     * Set until the segment is sealed. A channel of its own, because a channel's size is unavailable while a write of
     * it hangs, and sendfile asks for the size.
     */
    private final AtomicReference<@Nullable FileChannel> writing = new AtomicReference<>();

    private final DiskReadThreads reads;
    private final Runnable onClose;
    private final AtomicInteger references = new AtomicInteger(1);

    /** Bytes it counts for: its maximum while it is open. Set before it is read or written. */
    private volatile long bytes;

    /** Bytes of pinned records that were copied here. */
    private final AtomicLong copied = new AtomicLong();

    private volatile boolean removed;
    private volatile @Nullable Instant checked;

    /**
     * Time of the last use of each part, see {@link PageCacheEstimate}; null until then, as for most segments of
     * a large disk.
     */
    private volatile @Nullable AtomicIntegerArray stamps;

    /** The verdict on a segment file. */
    enum Check {
        OURS,
        OLDER,
        NEWER,
        BROKEN
    }

    private Segment(int number, Path path, FileChannel file, DiskReadThreads reads, Runnable onClose) {
        this.number = number;
        this.named = ExistingSegmentFile.numberOf(path);
        this.path = path;
        this.file = file;
        this.reads = reads;
        this.onClose = onClose;
    }

    /**
     * Creates a segment file and writes its header.
     *
     * @param onClose called after the file is closed
     */
    static Segment create(Path folder, int number, UUID disk, DiskReadThreads reads, Runnable onClose)
            throws IOException {
        Path path = folder.resolve("%08d%s".formatted(number, SUFFIX));
        FileChannel writing = PrivateFile.create(path);
        ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(0, MAGIC).putInt(8, FORMAT).putLong(16, disk.getMostSignificantBits());
        header.putLong(24, disk.getLeastSignificantBits()).putInt(32, number);
        header.putLong(36, System.currentTimeMillis());
        header.putInt(12, BlockPageLayout.checksum(header));
        try {
            DurableFiles.writeFully(writing, header);
            Segment created = open(path, number, reads, onClose);
            created.writing.set(writing);
            return created;
        } catch (IOException e) {
            writing.close();
            Files.deleteIfExists(path);
            throw e;
        }
    }

    /** Opens an existing segment file. */
    static Segment open(Path path, int number, DiskReadThreads reads, Runnable onClose) throws IOException {
        return new Segment(number, path, FileChannel.open(path, StandardOpenOption.READ), reads, onClose);
    }

    /** Returns whether a newer version wrote a file; false if the file cannot be read. */
    static boolean isNewer(Path path) {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
            return readHeader(file).map(header -> header.getInt(8) > FORMAT).orElse(false);
        } catch (IOException e) {
            log.warn("The segment {} cannot be read: {}", path, e.toString());
            return false;
        }
    }

    /**
     * Checks whether a file is a segment of a disk.
     *
     * @param named the number in its name
     */
    Check check(UUID disk, int named) throws IOException {
        ByteBuffer header = readHeader(file).orElse(null);
        if (header == null) {
            return Check.BROKEN;
        }
        if (header.getInt(8) != FORMAT) {
            return header.getInt(8) > FORMAT ? Check.NEWER : Check.OLDER;
        }
        boolean ours = header.getLong(16) == disk.getMostSignificantBits()
                && header.getLong(24) == disk.getLeastSignificantBits()
                && header.getInt(32) == named;
        return ours ? Check.OURS : Check.BROKEN;
    }

    /** Reads the header of a file, with the checksum cleared; empty if it is invalid. */
    private static Optional<ByteBuffer> readHeader(FileChannel file) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
        if (!readFully(file, header, 0) || header.getLong(0) != MAGIC) {
            return Optional.empty();
        }
        int expected = header.getInt(12);
        header.putInt(12, 0);
        return BlockPageLayout.checksum(header) == expected ? Optional.of(header) : Optional.empty();
    }

    int number() {
        return number;
    }

    /**
     * Returns the number in its file's name, which differs from {@link #number} if another disk used that while this
     * one was absent.
     */
    int named() {
        return named;
    }

    Path path() {
        return path;
    }

    /** Returns when all of it was verified; null if that has not been read from the file yet. */
    @Nullable public Instant checked() {
        return checked;
    }

    void checked(Instant time) {
        checked = time;
    }

    /** Returns the bytes of pinned records that were copied here. */
    long copied() {
        return copied.get();
    }

    /** Counts bytes of a pinned record that was copied here. */
    void keeps(long more) {
        copied.addAndGet(more);
    }

    /** Returns the channel to write to, between {@link #create} and {@link #isWritten}. */
    FileChannel writing() {
        return Objects.requireNonNull(writing.get(), "the segment has been sealed");
    }

    /** Closes the channel for writing. */
    void isWritten() {
        FileChannel last = writing.getAndSet(null);
        if (last == null) {
            return;
        }
        try {
            last.close();
        } catch (IOException e) {
            log.warn("The segment {} cannot be closed: {}", path, e.toString());
        }
    }

    /**
     * Returns the channel for positional reads, sendfile and syncs. The caller holds a reference, and its thread is
     * never interrupted.
     */
    FileChannel file() {
        return file;
    }

    long bytes() {
        return bytes;
    }

    void bytes(long size) {
        bytes = size;
    }

    DiskReadThreads reads() {
        return reads;
    }

    AtomicIntegerArray stamps() {
        AtomicIntegerArray current = stamps;
        return current == null ? newStamps() : current;
    }

    private synchronized AtomicIntegerArray newStamps() {
        AtomicIntegerArray current = stamps;
        if (current == null) {
            current = PageCacheEstimate.stamps(bytes);
            stamps = current;
        }
        return current;
    }

    /** Adds a reference for a reader; false if the file is closed. */
    boolean acquire() {
        int count = references.get();
        while (count > 0) {
            if (references.compareAndSet(count, count + 1)) {
                return true;
            }
            count = references.get();
        }
        return false;
    }

    /** Releases a reference. */
    void release() {
        int left = references.decrementAndGet();
        if (left == 0) {
            close();
        } else if (left < 0) {
            throw new IllegalStateException("segment %d was released too often".formatted(number));
        }
    }

    /** Returns whether the file was deleted. */
    boolean isRemoved() {
        return removed;
    }

    /** Deletes the file; its space is freed when the last reader ends. */
    void remove() {
        removed = true;
        takeNameAway();
        release();
    }

    private void takeNameAway() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            log.warn("The segment {} cannot be removed: {}", path, e.toString());
        }
    }

    private void close() {
        try {
            file.close();
        } catch (IOException e) {
            log.warn("The segment {} cannot be closed: {}", path, e.toString());
        }
        isWritten();
        onClose.run();
    }

    /** Fills {@code into} up to its limit and flips it; false if the file ends before. */
    static boolean readFully(FileChannel file, ByteBuffer into, long position) throws IOException {
        long at = position;
        while (into.hasRemaining()) {
            int read = file.read(into, at);
            if (read < 0) {
                return false;
            }
            at += read;
        }
        into.flip();
        return true;
    }
}
