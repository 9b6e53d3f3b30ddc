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
 * The pieces of a body that is being written, kept so that they can become blocks. A body that takes long is let go: slow
 * uploads must not hold memory. Safe for use by any number of threads.
 */
final class WriteBuffer {
    /** A body of the largest size that is held takes this long at 13 MB/s. */
    static final Duration LONGEST = Duration.ofSeconds(5);

    private final long bytes;
    private final Runnable release;
    private final List<ByteBuf> pieces = new ArrayList<>();
    private volatile Disposable timer = Disposables.disposed();
    private long kept;
    private boolean dropped;

    private WriteBuffer(long bytes, Runnable release) {
        this.bytes = bytes;
        this.release = release;
    }

    /**
     * Keeps a body.
     *
     * @param bytes of all of it
     * @param release gives its room back
     */
    static WriteBuffer of(long bytes, Runnable release) {
        WriteBuffer held = new WriteBuffer(bytes, release);
        held.timer = Schedulers.parallel().schedule(held::drop, LONGEST.toMillis(), TimeUnit.MILLISECONDS);
        return held;
    }

    /** Keeps nothing. */
    static WriteBuffer none() {
        WriteBuffer none = new WriteBuffer(0, () -> {});
        none.drop();
        return none;
    }

    /** Keeps a piece for itself besides. */
    synchronized void add(ByteBuf piece) {
        if (dropped) {
            return;
        }
        pieces.add(piece.retainedDuplicate());
        kept += piece.readableBytes();
    }

    /** All pieces, which are the caller's now; empty if they are not all here any more. Their room is kept until {@link #drop}. */
    synchronized Optional<List<ByteBuf>> take() {
        if (dropped || kept != bytes) {
            drop();
            return Optional.empty();
        }
        timer.dispose();
        List<ByteBuf> taken = List.copyOf(pieces);
        pieces.clear();
        return Optional.of(taken);
    }

    /** Lets go of all. */
    synchronized void drop() {
        if (!dropped) {
            dropped = true;
            pieces.forEach(ByteBuf::release);
            pieces.clear();
            timer.dispose();
            release.run();
        }
    }
}
