package io.millrace.cache.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks how many bytes the segment files of one disk use and may use. The limit is the size in the settings, or less
 * while the file system has less. The file system is queried each second and before each segment. One that is full
 * before it reports so (a quota, no inodes) shows that by writes that fail. {@link #refresh}, {@link #shortBy} and
 * {@link #ranOut} are for the writer; the rest may be called by any thread.
 */
final class DiskSpace {
    private static final Logger log = LoggerFactory.getLogger(DiskSpace.class);

    /** Bytes left free for the superblock and for the file system's own use. */
    static final long RESERVE = 1 << 20;

    /** Divisor of a disk's size: the part that slow readers of removed segments may hold. */
    private static final int MOST_LEAVING = 4;

    /** Time during which a file system that reported no limit but refused writes is not filled further. */
    private static final long CEILING_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final long PLENTY = Long.MAX_VALUE / 2;

    private final Path folder;
    private final long size;
    private final LongUnaryOperator segmentBytes;
    private final double movedShare;
    private final Free free;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong leaving = new AtomicLong();
    private volatile long limit;
    private volatile long left;
    private long freeNow = PLENTY;
    private long ceiling = PLENTY;
    private long ceilingUntil;
    private RoomState logged = RoomState.ENOUGH;

    /** A source of the free bytes of a file system. */
    @FunctionalInterface
    interface Free {
        long bytes() throws IOException;
    }

    /** The state that was logged last. */
    private enum RoomState {
        ENOUGH,
        LITTLE,
        NONE
    }

    /**
     * @param size bytes that segments may take at most
     * @param segmentBytes returns the bytes of the largest segment on a disk of a size
     * @param movedShare part of a segment that may be copied before it is removed, 0 to 1
     */
    DiskSpace(Path folder, long size, LongUnaryOperator segmentBytes, double movedShare, Free free) {
        this.folder = folder;
        this.size = size;
        this.segmentBytes = segmentBytes;
        this.movedShare = movedShare;
        this.free = free;
        this.limit = size;
    }

    /** Returns the bytes of all files, including deleted ones that are still read. The open one counts in full. */
    long used() {
        return used.get();
    }

    /** Returns the bytes left in the open segment. */
    long left() {
        return left;
    }

    /** Sets the bytes left in the open segment. */
    void left(long bytes) {
        left = bytes;
    }

    /** Returns the bytes that segments may take at most. */
    long size() {
        return size;
    }

    /** Returns the bytes that segments may take now. */
    long limit() {
        return limit;
    }

    /** Returns the bytes of the largest segment that may be begun now. */
    long segmentBytes() {
        return segmentBytes.applyAsLong(limit);
    }

    /** Returns whether a segment must be evicted before another is begun. */
    boolean isFull() {
        return used.get() + segmentBytes() > limit;
    }

    /** Returns whether a segment of pinned records may be begun, though one should be evicted first. */
    boolean isLittleBeyond() {
        return used.get() <= limit + limit / MOST_LEAVING + segmentBytes();
    }

    /** Returns whether readers hold so many removed segments that nothing new may be written. */
    boolean isHeldByReaders() {
        return leaving.get() > limit / MOST_LEAVING;
    }

    /** Counts bytes of files that appear, or disappear if negative. */
    void take(long bytes) {
        used.addAndGet(bytes);
    }

    /** Counts bytes of removed segments, which take space while they are read; negative when they are freed. */
    void leaves(long bytes) {
        leaving.addAndGet(bytes);
    }

    /** Queries the file system and sets the limit. */
    void refresh() {
        freeNow = freeBytes();
        long inAll = used.get() + freeNow - RESERVE;
        if (System.nanoTime() - ceilingUntil < 0) {
            inAll = Math.min(inAll, ceiling);
        }
        // Records worth keeping are copied before their segment is removed.
        long segment = segmentBytes.applyAsLong(Math.max(0, Math.min(inAll, size)));
        limit = Math.max(0, Math.min(size, inAll - (long) (segment * movedShare)));
        report();
    }

    /** Returns whether there is not even room for one segment. */
    boolean isNone() {
        return limit < segmentBytes();
    }

    /**
     * Returns the bytes to evict before a segment is begun and records are copied to it, because others have used the
     * space.
     */
    long shortBy() {
        long wanted = RESERVE / 2 + (long) (segmentBytes() * movedShare);
        return Math.max(0, wanted - freeNow);
    }

    /** Returns whether the file system has almost nothing free at this moment. */
    boolean hasNone() {
        return freeBytes() < RESERVE / 2;
    }

    /**
     * Records a failed write. If there was no space, a segment is evicted before the next.
     *
     * @param hadNone the result of {@link #hasNone} at the failure
     * @return whether there was no space
     */
    boolean ranOut(Throwable failure, boolean hadNone) {
        if (!(failure instanceof IOException)) {
            return false;
        }
        if (hadNone) {
            // The next query sees it.
            return true;
        }
        String text = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        boolean reported = text.contains("no space left") || text.contains("quota exceeded");
        if (reported) {
            ceiling = used.get();
            ceilingUntil = System.nanoTime() + CEILING_NANOS;
        }
        return reported;
    }

    private long freeBytes() {
        try {
            return free.bytes();
        } catch (IOException e) {
            // Writes will fail.
            return PLENTY;
        }
    }

    private void report() {
        RoomState now = limit >= size ? RoomState.ENOUGH : isNone() ? RoomState.NONE : RoomState.LITTLE;
        if (now == logged) {
            return;
        }
        logged = now;
        switch (now) {
            case ENOUGH ->
                log.info("The cache folder {} has room for all of its {} MiB again", folder, mebibytes(size));
            case LITTLE ->
                log.warn(
                        "The file system of the cache folder {} has room for {} MiB of its {} MiB: the oldest blocks"
                                + " are"
                                + " evicted earlier. Free some, or make the disk's size smaller",
                        folder,
                        mebibytes(limit),
                        mebibytes(size));
            case NONE ->
                log.warn(
                        "The file system of the cache folder {} is full: nothing is stored there until it has room"
                                + " for {} MiB",
                        folder,
                        mebibytes(segmentBytes() + RESERVE));
        }
    }

    private static long mebibytes(long bytes) {
        return bytes >> 20;
    }
}
