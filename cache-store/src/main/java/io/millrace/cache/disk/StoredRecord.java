package io.millrace.cache.disk;

import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.FileRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A record that was found, and the right to read it until {@link #close}. The methods that read may wait for the disk:
 * {@link #isLikelyInMemory} and {@link #readers} say where to call them. None may be called by a thread that can be
 * interrupted. Used by one thread at a time.
 */
public final class StoredRecord implements AutoCloseable {
    private static final int CHECK_BYTES = 4 * Pages.SIZE;

    private final Fingerprint key;
    private final Entry entry;
    private final Segment segment;
    private final StoreParts parts;
    private final long unread;
    private boolean closed;

    /**
     * Takes over a reference to {@code segment}.
     *
     * @param unread heads with this sequence number or a lower one may have newer ones that are not found yet
     */
    StoredRecord(Fingerprint key, Entry entry, Segment segment, StoreParts parts, long unread) {
        this.key = key;
        this.entry = entry;
        this.segment = segment;
        this.parts = parts;
        this.unread = unread;
    }

    /**
     * What stands before the body.
     *
     * @param doubtful whether a head must be asked for before it is used
     */
    public record Front(Kind kind, long sequence, Fingerprint version, ByteBuffer headPart, boolean doubtful) {}

    public Kind kind() {
        return entry.kind();
    }

    /** Bytes of the body. */
    public int bodyBytes() {
        return entry.bodyBytes();
    }

    /** Whether the body was compared with its checksums since it was written or found. */
    public boolean isVerified() {
        return entry.isVerified();
    }

    /** Whether reading these bytes of the body probably does not wait for the disk. */
    public boolean isLikelyInMemory(int offset, int bytes) {
        return parts.residency().isLikely(segment, entry.bodyPosition() + offset, bytes);
    }

    /** The threads of its disk, for reads that may wait. */
    public Executor readers() {
        return segment.home().reads();
    }

    /** Counts a use, for eviction. */
    public void used() {
        parts.policy().used(key);
        parts.ghosts().read(key, bodyBytes());
    }

    /**
     * Reads what stands before the body; null if it does not check, and then the record is dropped, and of a head that may have been
     * replaced by what is not found yet.
     */
    public @Nullable Front readFront() throws IOException {
        ByteBuffer bytes = readBeforeBody();
        if (bytes == null) {
            return null;
        }
        RecordHeader header = RecordHeader.decodeFixed(bytes).orElseThrow();
        if (kind() != Kind.BLOCK && header.sequence() <= unread) {
            return null;
        }
        return new Front(
                header.kind(),
                header.sequence(),
                header.version(),
                header.headPart(bytes),
                header.sequence() < segment.home().doubtBelow().getAsLong());
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
        parts.residency().touch(segment, entry.bodyPosition(), bodyBytes());
        parts.index().verified(key, entry.place());
        return true;
    }

    /** As {@link #read}, on a thread that must not wait: what {@link #isLikelyInMemory} said is held against the time it takes. */
    public @Nullable ByteBuf readFromMemory(int offset, int bytes) throws IOException {
        long began = System.nanoTime();
        ByteBuf buffer = read(offset, bytes);
        parts.residency().took(System.nanoTime() - began);
        return buffer;
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
        parts.residency().touch(segment, entry.bodyPosition() + offset, bytes);
        return buffer;
    }

    /** These bytes of the body for sendfile, verified before. The region holds the file by itself; the caller owns it. */
    public FileRegion region(int offset, int bytes) {
        if (!segment.acquire()) {
            throw new IllegalStateException("read after close");
        }
        parts.residency().touch(segment, entry.bodyPosition() + offset, bytes);
        return new SegmentRegion(
                segment, parts.residency(), entry.bodyPosition() + offset, bytes, this::dropUnreadable);
    }

    /** Takes the record out: it is not what it should be. */
    public void drop() {
        parts.recorder().corrupt();
        takeOut();
    }

    /** Takes the record out: its disk cannot read it. */
    public void dropUnreadable() {
        parts.recorder().diskError();
        takeOut();
    }

    /** But for a head whose older ones may be found still: they would take its place. */
    private void takeOut() {
        if (kind() == Kind.BLOCK || unread == 0) {
            parts.index().remove(key, entry.place());
        }
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
        return header.isFoundBy(key, parts.hash())
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
        for (int at = 0; at < body.readableBytes(); at += Pages.SIZE) {
            ByteBuf page = body.slice(at, Math.min(Pages.SIZE, body.readableBytes() - at));
            if (Pages.checksum(page) != RecordHeader.checksum(before, (offset + at) / Pages.SIZE)) {
                return false;
            }
        }
        return true;
    }
}
