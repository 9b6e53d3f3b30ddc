package io.millrace.cache.disk;

import io.netty.channel.DefaultFileRegion;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * A byte range of a segment file that the kernel sends to a client by sendfile. It holds a reference to the segment;
 * releasing the region does not close the file.
 *
 * <p>A sender cannot distinguish a failing disk from a client that left. So the region that was not sent to its end is
 * read where it stopped: if that fails, the block is removed, and the next reader gets its bytes from the backend.
 */
final class SegmentFileRegion extends DefaultFileRegion {
    /** Bytes of a page of the kernel. */
    private static final int PAGE = 4096;

    private final Segment segment;
    private final PageCacheEstimate likelyInMemory;
    private final Consumer<Throwable> unreadable;
    private final Executor loop;
    private final LongSupplier nanoTime;
    private long lastAttempt;

    /**
     * Takes over a reference to {@code segment}.
     *
     * @param unreadable removes the block from the index
     * @param loop as in {@link InlineReadWatchdog#begins}
     */
    SegmentFileRegion(
            Segment segment,
            PageCacheEstimate likelyInMemory,
            long position,
            long bytes,
            Consumer<Throwable> unreadable,
            Executor loop) {
        this(segment, likelyInMemory, position, bytes, unreadable, loop, System::nanoTime);
    }

    /** @param nanoTime the clock */
    SegmentFileRegion(
            Segment segment,
            PageCacheEstimate likelyInMemory,
            long position,
            long bytes,
            Consumer<Throwable> unreadable,
            Executor loop,
            LongSupplier nanoTime) {
        super(segment.file(), position, bytes);
        this.segment = segment;
        this.likelyInMemory = likelyInMemory;
        this.unreadable = unreadable;
        this.loop = loop;
        this.nanoTime = nanoTime;
    }

    /** Called before each attempt to send; there is no other sign that it begins. */
    @Override
    public long count() {
        lastAttempt = nanoTime.getAsLong();
        segment.reads().begins(loop);
        return super.count();
    }

    /** Called after each attempt that sent something. */
    @Override
    public long transferred() {
        segment.reads().ends();
        return super.transferred();
    }

    /** Called right after the last attempt, unless sending was given up earlier. */
    @Override
    protected void deallocate() {
        if (transferred() == super.count()) {
            likelyInMemory.took(nanoTime.getAsLong() - lastAttempt);
            segment.release();
        } else if (lastAttempt == 0) {
            segment.release();
        } else {
            probe(position() + transferred(), super.count() - transferred());
        }
    }

    private void probe(long position, long left) {
        try {
            segment.reads().execute(() -> {
                try {
                    ByteBuffer next = ByteBuffer.allocate((int) Math.min(PAGE, left));
                    if (!Segment.readFully(segment.file(), next, position)) {
                        failed(new EOFException("segment %d ends early".formatted(segment.number())));
                    }
                } catch (IOException e) {
                    failed(e);
                } finally {
                    segment.release();
                }
            });
        } catch (RejectedExecutionException closing) {
            segment.release();
        }
    }

    /**
     * Removes the block. Other blocks of this disk may be unreadable, too, so all are read and verified again before
     * the kernel sends them.
     */
    private void failed(Throwable failure) {
        unreadable.accept(failure);
        likelyInMemory.distrustAll();
    }
}
