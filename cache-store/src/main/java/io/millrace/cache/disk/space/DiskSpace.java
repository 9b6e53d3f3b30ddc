package io.millrace.cache.disk.space;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks the bytes that the segments of one disk use and may use: the size in the settings, or less while its file system has less.
 * The file system is queried before each segment; one that is full before it says so (a quota, no more inodes) shows by failing
 * writes. {@link #look}, {@link #shortBy} and {@link #ranOut} are the writer's; any thread may call the rest.
 */
public final class DiskSpace {
    private static final Logger log = LoggerFactory.getLogger(DiskSpace.class);

    /** Left alone: for the marker, and for what the file system writes of its own. */
    static final long RESERVE = 1 << 20;

    /** The part of a disk's size that slow readers of removed segments may hold: one in so many. */
    private static final int MOST_LEAVING = 4;

    /** So long a file system that ran out of room without saying so is not asked for more. */
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
    private ReportedLevel told = ReportedLevel.ENOUGH;

    /** What a file system has left. */
    @FunctionalInterface
    public interface Free {
        long bytes() throws IOException;
    }

    /** What the operator was told last. */
    private enum ReportedLevel {
        ENOUGH,
        LITTLE,
        NONE
    }

    /**
     * @param size bytes that segments may take at most
     * @param segmentBytes of the largest segment on a disk of a size
     * @param movedShare how much of a segment may be copied before it goes, 0 to 1
     */
    public DiskSpace(Path folder, long size, LongUnaryOperator segmentBytes, double movedShare, Free free) {
        this.folder = folder;
        this.size = size;
        this.segmentBytes = segmentBytes;
        this.movedShare = movedShare;
        this.free = free;
        this.limit = size;
    }

    /** Bytes of all files, those included that have lost their name and are still read. The open one counts in full. */
    public long used() {
        return used.get();
    }

    /** Bytes that the open segment has left. */
    public long left() {
        return left;
    }

    /** The open segment has so many bytes left. */
    public void left(long bytes) {
        left = bytes;
    }

    /** Bytes that segments may take at most. */
    public long size() {
        return size;
    }

    /** Bytes that segments may take now. */
    public long limit() {
        return limit;
    }

    /** Bytes of the largest segment that may be begun now. */
    public long segmentBytes() {
        return segmentBytes.applyAsLong(limit);
    }

    /** Whether something has to go before another segment is begun. */
    public boolean isFull() {
        return used.get() + segmentBytes() > limit;
    }

    /** Whether what must be written may be, though something should have gone first. */
    public boolean isLittleBeyond() {
        return used.get() <= limit + limit / MOST_LEAVING + segmentBytes();
    }

    /** Whether removed segments that are still read hold so much that nothing new must come. */
    public boolean isHeldByReaders() {
        return leaving.get() > limit / MOST_LEAVING;
    }

    /** Files take so many bytes more, or less. */
    public void take(long bytes) {
        used.addAndGet(bytes);
    }

    /** A segment has lost its name; its bytes are taken as long as it is read. */
    public void leaves(long bytes) {
        leaving.addAndGet(bytes);
    }

    /** Looks what the file system has. */
    public void look() {
        freeNow = freeBytes();
        long inAll = used.get() + freeNow - RESERVE;
        if (System.nanoTime() - ceilingUntil < 0) {
            inAll = Math.min(inAll, ceiling);
        }
        // What is worth keeping is copied before its segment goes.
        long segment = segmentBytes.applyAsLong(Math.max(0, Math.min(inAll, size)));
        limit = Math.max(0, Math.min(size, inAll - (long) (segment * movedShare)));
        tell();
    }

    /** Whether there is no room for even one segment, whatever goes. */
    public boolean isNone() {
        return limit < segmentBytes();
    }

    /** How much must go before a segment is begun and something is copied into it: others have taken what was left. */
    public long shortBy() {
        long wanted = RESERVE / 2 + (long) (segmentBytes() * movedShare);
        return Math.max(0, wanted - freeNow);
    }

    /** Whether its file system has next to nothing left at this moment. */
    public boolean hasNone() {
        return freeBytes() < RESERVE / 2;
    }

    /**
     * A write failed. If that was for want of room, something goes before the next.
     *
     * @param hadNone what {@link #hasNone} was as it failed
     * @return whether it was
     */
    public boolean ranOut(Throwable failure, boolean hadNone) {
        if (!(failure instanceof IOException)) {
            return false;
        }
        if (hadNone) {
            // The next look sees it.
            return true;
        }
        String text = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
        boolean toldSo = text.contains("no space left") || text.contains("quota exceeded");
        if (toldSo) {
            ceiling = used.get();
            ceilingUntil = System.nanoTime() + CEILING_NANOS;
        }
        return toldSo;
    }

    private long freeBytes() {
        try {
            return free.bytes();
        } catch (IOException e) {
            // It will fail when it is written to.
            return PLENTY;
        }
    }

    private void tell() {
        ReportedLevel now = limit >= size ? ReportedLevel.ENOUGH : isNone() ? ReportedLevel.NONE : ReportedLevel.LITTLE;
        if (now == told) {
            return;
        }
        told = now;
        switch (now) {
            case ENOUGH ->
                log.info("The cache folder {} has room for all of its {} MiB again", folder, mebibytes(size));
            case LITTLE ->
                log.warn(
                        "The file system of the cache folder {} has room for {} MiB of its {} MiB: the oldest content goes"
                                + " earlier. Free some, or make the disk's size smaller",
                        folder,
                        mebibytes(limit),
                        mebibytes(size));
            case NONE ->
                log.warn(
                        "The file system of the cache folder {} is full: nothing is stored there until it has room for {} MiB",
                        folder,
                        mebibytes(segmentBytes() + RESERVE));
        }
    }

    private static long mebibytes(long bytes) {
        return bytes >> 20;
    }
}
