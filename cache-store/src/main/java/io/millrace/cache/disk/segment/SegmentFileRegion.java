package io.millrace.cache.disk.segment;

import io.millrace.cache.disk.io.NonBlockingDiskAccess;
import io.netty.channel.DefaultFileRegion;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Bytes of a segment that the kernel sends itself. Holds a reference to the segment; the file stays open when it is released.
 *
 * <p>Whoever sends cannot tell a disk that fails from a client that left. So a region that was not sent to its end is looked at
 * where it stopped: if that cannot be read, the record goes, and the next reader's bytes come from the backend.
 */
public final class SegmentFileRegion extends DefaultFileRegion {
    /** What the kernel reads at once. */
    private static final int PAGE = 4096;

    private final Segment segment;
    private final PageCacheEstimate likelyInMemory;
    private final Consumer<Throwable> unreadable;
    private final Executor loop;
    private long lastAttempt;

    /**
     * Takes over a reference to {@code segment}.
     *
     * @param unreadable takes the record out
     * @param loop as {@link NonBlockingDiskAccess#begins} has it
     */
    public SegmentFileRegion(
            Segment segment,
            PageCacheEstimate likelyInMemory,
            long position,
            long bytes,
            Consumer<Throwable> unreadable,
            Executor loop) {
        super(segment.file(), position, bytes);
        this.segment = segment;
        this.likelyInMemory = likelyInMemory;
        this.unreadable = unreadable;
        this.loop = loop;
    }

    /** Is asked for before each try to send; there is no other sign of its beginning. */
    @Override
    public long count() {
        lastAttempt = System.nanoTime();
        segment.reads().begins(loop);
        return super.count();
    }

    /** Is asked for behind each try that sent something. */
    @Override
    public long transferred() {
        segment.reads().ends();
        return super.transferred();
    }

    /** Comes at once behind the last try, unless it was given up before its end. */
    @Override
    protected void deallocate() {
        if (transferred() == super.count()) {
            likelyInMemory.took(System.nanoTime() - lastAttempt);
            segment.release();
        } else if (lastAttempt == 0) {
            segment.release();
        } else {
            lookAt(position() + transferred(), super.count() - transferred());
        }
    }

    private void lookAt(long position, long left) {
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

    /** What is bad here may be bad elsewhere on this disk: all is read and compared once more before the kernel sends it. */
    private void failed(Throwable failure) {
        unreadable.accept(failure);
        likelyInMemory.distrustAll();
    }
}
