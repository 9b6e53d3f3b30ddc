package io.millrace.backend.testkit.data;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.SignalType;

/** A subscriber that requests pieces only when the test says so, and releases them. */
public final class ManualDemandReader extends BaseSubscriber<ByteBuf> {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private int pieces;
    private boolean done;
    private @Nullable Throwable failure;

    public synchronized int pieces() {
        return pieces;
    }

    public synchronized boolean isDone() {
        return done;
    }

    /** Returns the bytes received so far. */
    public synchronized byte[] bytes() {
        return bytes.toByteArray();
    }

    /** Waits until this many pieces came in total. */
    public void awaitPieces(int count) throws InterruptedException {
        awaitPiecesOrEnd(count);
        if (pieces() < count) {
            throw new AssertionError("ended after %d pieces of %d: %s".formatted(pieces(), count, failure));
        }
    }

    /** Waits until this many pieces came in total, or the body ended. */
    public synchronized void awaitPiecesOrEnd(int count) throws InterruptedException {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (pieces < count && !done) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError("only %d pieces of %d came".formatted(pieces, count));
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        if (failure != null) {
            throw new AssertionError("the body failed", failure);
        }
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        // Requests nothing yet.
    }

    @Override
    protected synchronized void hookOnNext(ByteBuf piece) {
        bytes.writeBytes(UploadBodies.takeBytes(piece));
        pieces++;
        notifyAll();
    }

    @Override
    protected synchronized void hookOnError(Throwable error) {
        failure = error;
    }

    @Override
    protected synchronized void hookFinally(SignalType type) {
        done = true;
        notifyAll();
    }
}
