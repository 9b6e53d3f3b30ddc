package io.millrace.cache.disk;

import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexEntry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A block on a disk that can be read until {@link #close}. Methods that read may wait for the disk:
 * {@link #isLikelyInMemory} and {@link #onDisk} tell where to call them. None may be called by a thread that can be
 * interrupted. Used by one thread at a time.
 */
public final class StoredBlock implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StoredBlock.class);

    /** Bytes of a verified read at most. */
    public static final int CHECK_BYTES = 4 * BlockPageLayout.SIZE;

    private final Fingerprint key;
    private final IndexEntry entry;
    private final Segment segment;
    private final BlockReadTracker reads;
    private boolean closed;

    /** Takes over a reference to {@code segment}. */
    StoredBlock(Fingerprint key, IndexEntry entry, Segment segment, BlockReadTracker reads) {
        this.key = key;
        this.entry = entry;
        this.segment = segment;
        this.reads = reads;
    }

    /** Returns the place of its record, which no other record of any time has. */
    public long place() {
        return entry.place();
    }

    /** Returns the bytes of the body. */
    public int bodyBytes() {
        return entry.bodyBytes();
    }

    /** Returns the folder of its disk. */
    public Path disk() {
        return segment.path().resolveSibling("");
    }

    /** Records how long a reader waited for so many bytes. */
    public void took(long bytes, long nanos) {
        segment.reads().took(bytes, nanos);
    }

    /** Returns whether the body was verified since it was written or recovered. */
    public boolean isVerified() {
        return entry.isVerified();
    }

    /** Returns whether reading these bytes of the body probably does not wait for the disk. */
    public boolean isLikelyInMemory(int offset, int bytes) {
        return reads.pageCache().holds(segment, entry.bodyPosition() + offset, bytes);
    }

    /** Work with a record on a thread that may wait. */
    @FunctionalInterface
    public interface Work<T> {
        /** Returns the result, or null if there is none. */
        @Nullable T of(StoredBlock record) throws IOException;
    }

    /**
     * Runs work with this block on a thread of its disk, and closes the block after it. A read error removes the block
     * from the index. The caller does not wait for a disk that hangs.
     *
     * @param then called once, perhaps during this call: the result, or null if the work failed or was given up. A
     *     reference-counted result that arrives after that is released
     */
    public <T> void onDisk(Work<T> work, Consumer<@Nullable T> then) {
        segment.reads().read(new BlockReadTask<>(this, work, then));
    }

    /** Counts a read, for eviction. */
    public void used() {
        reads.used(key, bodyBytes());
    }

    /**
     * Verifies the body against its checksums.
     *
     * @return whether it is intact; if not, the block is removed from the index
     */
    public boolean verify() throws IOException {
        ByteBuffer before = readBeforeBody();
        if (before == null) {
            return false;
        }
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(CHECK_BYTES);
        try {
            for (int offset = 0; offset < bodyBytes(); offset += CHECK_BYTES) {
                int bytes = Math.min(CHECK_BYTES, bodyBytes() - offset);
                if (!read(buffer, offset, bytes) || !checks(before, buffer, offset)) {
                    drop();
                    return false;
                }
            }
        } finally {
            buffer.release();
        }
        reads.pageCache().touch(segment, entry.bodyPosition(), bodyBytes());
        reads.verified(key, entry);
        return true;
    }

    /**
     * Reads like {@link #read} on a thread that must not wait. A slow read resets the {@link #isLikelyInMemory}
     * estimate.
     */
    public @Nullable ByteBuf readFromMemory(int offset, int bytes) throws IOException {
        long began = System.nanoTime();
        segment.reads().begins(null);
        try {
            return read(offset, bytes);
        } finally {
            segment.reads().ends();
            reads.pageCache().took(System.nanoTime() - began);
        }
    }

    /** Reads bytes of a body that was verified before; the caller owns the buffer. Null if the file is too short. */
    public @Nullable ByteBuf read(int offset, int bytes) throws IOException {
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(bytes);
        boolean whole = false;
        try {
            whole = read(buffer, offset, bytes);
        } finally {
            if (!whole) {
                buffer.release();
            }
        }
        if (!whole) {
            drop();
            return null;
        }
        reads.pageCache().touch(segment, entry.bodyPosition() + offset, bytes);
        return buffer;
    }

    /**
     * Caches the checksums of the last record between its partial reads, and how far they have verified it. For one
     * read at a time.
     */
    public static final class Sums {
        private long place;
        private @Nullable ByteBuffer before;

        /** The bytes from the start of the body that were verified. */
        private int verified;

        private void verified(long record, ByteBuffer beforeBody, int first, int end) {
            if (place != record || before == null) {
                verified = 0;
            }
            place = record;
            before = beforeBody;
            if (first <= verified) {
                verified = Math.max(verified, end);
            }
        }
    }

    /**
     * Reads bytes of the body and verifies them. Null if they are corrupt; the block is then removed from the index. It
     * counts as verified once such reads have had all of its bytes from the first to the last.
     *
     * @param bytes {@link #CHECK_BYTES} at most from the start of {@code offset}'s page
     * @return a buffer that the caller owns
     */
    public @Nullable ByteBuf readChecked(int offset, int bytes, Sums sums) throws IOException {
        int first = offset / BlockPageLayout.SIZE * BlockPageLayout.SIZE;
        int end = Math.min(
                bodyBytes(), (offset + bytes + BlockPageLayout.SIZE - 1) / BlockPageLayout.SIZE * BlockPageLayout.SIZE);
        ByteBuffer sumsBefore = sums.place == entry.place() ? sums.before : null;
        // The first page is read together with the header.
        int lead = sumsBefore == null && first == 0 ? (int) (entry.bodyPosition() - entry.start()) : 0;
        if (sumsBefore == null && lead == 0) {
            sumsBefore = readBeforeBody();
            if (sumsBefore == null) {
                return null;
            }
        }
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(lead + end - first);
        boolean right = false;
        try {
            if (read(buffer, first - lead, lead + end - first)) {
                ByteBuffer before = sumsBefore == null ? beforeBody(buffer, lead) : sumsBefore;
                if (before != null && checks(before, buffer.slice(lead, end - first), first)) {
                    right = true;
                    sums.verified(entry.place(), before, first, end);
                }
            }
        } finally {
            if (!right) {
                buffer.release();
            }
        }
        if (!right) {
            drop();
            return null;
        }
        reads.pageCache().touch(segment, entry.bodyPosition() + offset, bytes);
        if (sums.verified == bodyBytes() && !isVerified()) {
            reads.verified(key, entry);
        }
        return buffer.setIndex(lead + offset - first, lead + offset - first + bytes);
    }

    /** Returns a copy of the bytes before the body; null if they are corrupt. */
    private @Nullable ByteBuffer beforeBody(ByteBuf read, int bytes) {
        ByteBuffer before = ByteBuffer.allocate(bytes);
        read.getBytes(0, before);
        before.flip();
        RecordHeader header = RecordHeader.decodeFixed(before).orElse(null);
        return header != null && isThisRecord(header) && header.checks(before) ? before : null;
    }

    /**
     * Returns bytes of the body for sendfile; the body was verified before. The region has its own reference to the
     * file; the caller owns the region.
     *
     * @param loop runs tasks on the thread that sends the region
     */
    public FileRegion region(int offset, int bytes, Executor loop) {
        if (!segment.acquire()) {
            throw new IllegalStateException("read after close");
        }
        reads.pageCache().touch(segment, entry.bodyPosition() + offset, bytes);
        return new SegmentFileRegion(
                segment, reads.pageCache(), entry.bodyPosition() + offset, bytes, this::dropUnreadable, loop);
    }

    /** Removes the block from the index because it is corrupt. */
    public void drop() {
        reads.corrupt(key, entry, segment);
    }

    /**
     * Removes the block because its bytes are wrong, though its checksums fit: a later run does not find it either. Its
     * record is marked on a thread of the disk.
     */
    void withdraw() {
        reads.remove(key, entry);
        try {
            segment.reads().execute(() -> {
                try {
                    RecordHeader.withdraw(segment.path(), entry.start(), key);
                } catch (IOException e) {
                    dropUnreadable(e);
                }
            });
        } catch (RejectedExecutionException closing) {
            log.warn(
                    "Wrong bytes in {} at {} are found again by the next start: evict the object then",
                    segment.path(),
                    entry.start());
        }
    }

    /** Removes the block from the index because its disk cannot read it. */
    public void dropUnreadable(Throwable failure) {
        reads.unreadable(key, entry, segment, failure);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            segment.release();
        }
    }

    private @Nullable ByteBuffer readBeforeBody() throws IOException {
        ByteBuffer fixed = ByteBuffer.allocate(RecordHeader.FIXED);
        RecordHeader header = Segment.readFully(segment.file(), fixed, entry.start())
                ? RecordHeader.decodeFixed(fixed).orElse(null)
                : null;
        if (header == null || !isThisRecord(header)) {
            drop();
            return null;
        }
        ByteBuffer before = ByteBuffer.allocate(header.beforeBody());
        if (!Segment.readFully(segment.file(), before, entry.start()) || !header.checks(before)) {
            drop();
            return null;
        }
        return before;
    }

    private boolean isThisRecord(RecordHeader header) {
        return header.key().equals(key)
                && header.isAt(segment.named(), entry.start())
                && header.bodyBytes() == bodyBytes()
                && entry.start() + header.bodyStart() == entry.bodyPosition();
    }

    private boolean read(ByteBuf into, int offset, int bytes) throws IOException {
        into.clear();
        long position = entry.bodyPosition() + offset;
        while (into.readableBytes() < bytes) {
            int read = into.writeBytes(segment.file(), position + into.readableBytes(), bytes - into.readableBytes());
            if (read < 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean checks(ByteBuffer before, ByteBuf body, int offset) {
        for (int at = 0; at < body.readableBytes(); at += BlockPageLayout.SIZE) {
            ByteBuf page = body.slice(at, Math.min(BlockPageLayout.SIZE, body.readableBytes() - at));
            if (BlockPageLayout.checksum(page) != RecordHeader.checksum(before, (offset + at) / BlockPageLayout.SIZE)) {
                return false;
            }
        }
        return true;
    }
}
