package io.millrace.gateway.objects.write;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Schedulers;

/**
 * Keeps the body of a write in memory while it is uploaded, so that it can be cached. The buffer of a slow upload is
 * dropped, because it must not hold memory for long. Thread-safe.
 */
final class CacheableWriteBuffer {
    /** The longest time a body is buffered; the largest one needs this long at 13 MB/s. */
    static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final long bytes;
    private final Runnable release;
    private final List<ByteBuf> pieces = new ArrayList<>();
    private volatile Disposable timer = Disposables.disposed();
    private long buffered;
    private boolean dropped;

    private CacheableWriteBuffer(long bytes, Runnable release) {
        this.bytes = bytes;
        this.release = release;
    }

    /**
     * Creates a buffer.
     *
     * @param bytes size of the whole body
     * @param release returns the buffer's memory to the budget
     */
    static CacheableWriteBuffer of(long bytes, Runnable release) {
        CacheableWriteBuffer held = new CacheableWriteBuffer(bytes, release);
        held.timer = Schedulers.parallel().schedule(held::release, TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        return held;
    }

    /** Returns a buffer that keeps nothing. */
    static CacheableWriteBuffer none() {
        CacheableWriteBuffer none = new CacheableWriteBuffer(0, () -> {});
        none.release();
        return none;
    }

    /** Keeps another reference to a piece of the body. */
    synchronized void add(ByteBuf piece) {
        if (dropped) {
            return;
        }
        pieces.add(piece.retainedDuplicate());
        buffered += piece.readableBytes();
    }

    /**
     * Returns the whole body, which the caller owns; empty if it is incomplete or dropped. Its memory stays reserved
     * until {@link #release}.
     */
    synchronized Optional<List<ByteBuf>> take() {
        if (dropped || buffered != bytes) {
            release();
            return Optional.empty();
        }
        timer.dispose();
        List<ByteBuf> taken = List.copyOf(pieces);
        pieces.clear();
        return Optional.of(taken);
    }

    /** Releases the body and its memory. */
    synchronized void release() {
        if (!dropped) {
            dropped = true;
            pieces.forEach(ByteBuf::release);
            pieces.clear();
            timer.dispose();
            release.run();
        }
    }
}
