package io.millrace.backend.testkit;

import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.SignalType;

/** A reader that asks for pieces when its test says so, and for none by itself. Releases what it is handed. */
final class PacedReader extends BaseSubscriber<ByteBuf> {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private int pieces;
    private boolean done;
    private @Nullable Throwable failure;

    synchronized int pieces() {
        return pieces;
    }

    synchronized boolean isDone() {
        return done;
    }

    /** What came so far. */
    synchronized byte[] bytes() {
        return bytes.toByteArray();
    }

    /** Waits until so many pieces came in all. */
    void awaitPieces(int count) throws InterruptedException {
        awaitPiecesOrEnd(count);
        if (pieces() < count) {
            throw new AssertionError("ended after %d pieces of %d: %s".formatted(pieces(), count, failure));
        }
    }

    /** Waits until so many pieces came in all, or the body ended. */
    synchronized void awaitPiecesOrEnd(int count) throws InterruptedException {
        long deadline = System.nanoTime() + ContractCases.PATIENCE.toNanos();
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
        // Nothing is asked for yet.
    }

    @Override
    protected synchronized void hookOnNext(ByteBuf piece) {
        bytes.writeBytes(ContractCases.takeBytes(piece));
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
