package io.millrace.cache.disk;

import io.millrace.cache.disk.segment.ChecksumPages;
import io.millrace.cache.disk.segment.RecordHeader;
import io.millrace.cache.disk.segment.Segment;
import io.millrace.cache.disk.segment.SegmentFileRegion;
import io.millrace.cache.disk.space.SharedStoreState;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.IndexEntry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A record that was found, and the right to read it until {@link #close}. The methods that read may wait for the disk:
 * {@link #isLikelyInMemory} and {@link #onDisk} say where to call them. None may be called by a thread that can be
 * interrupted. Used by one thread at a time.
 */
public final class StoredBlock implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(StoredBlock.class);

    /** So much is read at once at most where all is compared. */
    public static final int CHECK_BYTES = 4 * ChecksumPages.SIZE;

    private final Fingerprint key;
    private final IndexEntry entry;
    private final Segment segment;
    private final SharedStoreState parts;
    private boolean closed;

    /** Takes over a reference to {@code segment}. */
    StoredBlock(Fingerprint key, IndexEntry entry, Segment segment, SharedStoreState parts) {
        this.key = key;
        this.entry = entry;
        this.segment = segment;
        this.parts = parts;
    }

    /** Bytes of the body. */
    public int bodyBytes() {
        return entry.bodyBytes();
    }

    /** The folder of its disk. */
    public Path disk() {
        return segment.path().resolveSibling("");
    }

    /** Somebody waited so long for so many bytes of it. */
    public void took(long bytes, long nanos) {
        segment.reads().took(bytes, nanos);
    }

    /** Whether the body was compared with its checksums since it was written or found. */
    public boolean isVerified() {
        return entry.isVerified();
    }

    /** Whether reading these bytes of the body probably does not wait for the disk. */
    public boolean isLikelyInMemory(int offset, int bytes) {
        return parts.likelyInMemory().holds(segment, entry.bodyPosition() + offset, bytes);
    }

    /** What is done with a record where reading may wait. */
    @FunctionalInterface
    public interface Work<T> {
        /** Null if there is nothing to tell. */
        @Nullable T of(StoredBlock record) throws IOException;
    }

    /**
     * Does something with this record on a thread of its disk, and closes it then. A disk that cannot read takes the record out; one
     * that stands still is not waited for.
     *
     * @param then told once, perhaps at once: what came of it, or null if nothing did
     * @param late told instead what came of it behind somebody's patience
     */
    public <T> void onDisk(Work<T> work, Consumer<@Nullable T> then, Consumer<T> late) {
        segment.reads().read(new RecordReadTask<>(this, work, then, late));
    }

    /** Counts a use, for eviction. */
    public void used() {
        parts.policy().used(key);
        parts.ghosts().read(key, bodyBytes());
    }

    /**
     * Compares the body with its checksums.
     *
     * @return whether it is right; if not, the record is dropped
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
        parts.likelyInMemory().touch(segment, entry.bodyPosition(), bodyBytes());
        parts.index().verified(key, entry.place());
        return true;
    }

    /** As {@link #read}, on a thread that must not wait: what {@link #isLikelyInMemory} said is held against the time it takes. */
    public @Nullable ByteBuf readFromMemory(int offset, int bytes) throws IOException {
        long began = System.nanoTime();
        segment.reads().begins(null);
        try {
            return read(offset, bytes);
        } finally {
            segment.reads().ends();
            parts.likelyInMemory().took(System.nanoTime() - began);
        }
    }

    /** These bytes of the body, which were verified before; the caller owns them. Null if they are not there. */
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
        parts.likelyInMemory().touch(segment, entry.bodyPosition() + offset, bytes);
        return buffer;
    }

    /**
     * The checksums of the record that was read last, for whoever reads it piece by piece. For one read at a time.
     */
    public static final class Sums {
        private long place;
        private @Nullable ByteBuffer before;
    }

    /**
     * These bytes of the body, compared with their checksums in the buffer that is told, which the caller owns. Null if they are not
     * what was written, and then the record is dropped.
     *
     * @param bytes {@link #CHECK_BYTES} at most from the begin of {@code offset}'s page
     */
    public @Nullable ByteBuf readChecked(int offset, int bytes, Sums sums) throws IOException {
        int first = offset / ChecksumPages.SIZE * ChecksumPages.SIZE;
        int end = Math.min(
                bodyBytes(), (offset + bytes + ChecksumPages.SIZE - 1) / ChecksumPages.SIZE * ChecksumPages.SIZE);
        ByteBuffer known = sums.place == entry.place() ? sums.before : null;
        // The first page is read together with what stands before it.
        int lead = known == null && first == 0 ? (int) (entry.bodyPosition() - entry.start()) : 0;
        if (known == null && lead == 0) {
            known = readBeforeBody();
            if (known == null) {
                return null;
            }
        }
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(lead + end - first);
        boolean right = false;
        try {
            if (read(buffer, first - lead, lead + end - first)) {
                ByteBuffer before = known == null ? beforeBody(buffer, lead) : known;
                right = before != null && checks(before, buffer.slice(lead, end - first), first);
                sums.before = before;
                sums.place = entry.place();
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
        parts.likelyInMemory().touch(segment, entry.bodyPosition() + offset, bytes);
        return buffer.setIndex(lead + offset - first, lead + offset - first + bytes);
    }

    /** A copy of what stands before the body, out of what was read; null if it does not check. */
    private @Nullable ByteBuffer beforeBody(ByteBuf read, int bytes) {
        ByteBuffer before = ByteBuffer.allocate(bytes);
        read.getBytes(0, before);
        before.flip();
        RecordHeader header = RecordHeader.decodeFixed(before).orElse(null);
        return header != null && isThisRecord(header) && header.checks(before) ? before : null;
    }

    /**
     * These bytes of the body for sendfile, verified before. The region holds the file by itself; the caller owns it.
     *
     * @param loop runs what it is given on the thread that will send it
     */
    public FileRegion region(int offset, int bytes, Executor loop) {
        if (!segment.acquire()) {
            throw new IllegalStateException("read after close");
        }
        parts.likelyInMemory().touch(segment, entry.bodyPosition() + offset, bytes);
        return new SegmentFileRegion(
                segment, parts.likelyInMemory(), entry.bodyPosition() + offset, bytes, this::dropUnreadable, loop);
    }

    /** Removes it, since it is not what it should be. */
    public void drop() {
        log.warn("A record of {} at {} is not what was written: removed", segment.path(), entry.start());
        parts.recorder().corrupt();
        remove();
    }

    /** Removes it, since its disk cannot read it. */
    public void dropUnreadable(Throwable failure) {
        parts.recorder().diskError();
        segment.reads().failed(failure);
        remove();
    }

    private void remove() {
        boolean unused = parts.index().remove(key, entry.place());
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
        for (int at = 0; at < body.readableBytes(); at += ChecksumPages.SIZE) {
            ByteBuf page = body.slice(at, Math.min(ChecksumPages.SIZE, body.readableBytes() - at));
            if (ChecksumPages.checksum(page) != RecordHeader.checksum(before, (offset + at) / ChecksumPages.SIZE)) {
                return false;
            }
        }
        return true;
    }
}
