package io.millrace.backend.s3;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.SignalType;

/** A subscriber whose demand the test controls. */
final class ManualDemandSubscriber extends BaseSubscriber<ByteBuf> {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private @Nullable Throwable failure;
    private boolean ended;

    /** Waits until so many bytes have come in all. */
    synchronized void awaitBytes(int count) throws InterruptedException {
        await(() -> bytes.size() >= count);
    }

    /** Waits for the end; everything that came. */
    synchronized byte[] awaitEnd() throws InterruptedException {
        await(() -> ended);
        if (failure != null) {
            throw new AssertionError("the body failed", failure);
        }
        return bytes.toByteArray();
    }

    synchronized @Nullable Throwable awaitFailure() throws InterruptedException {
        await(() -> ended);
        return failure;
    }

    synchronized boolean hasEnded() {
        return ended;
    }

    synchronized int size() {
        return bytes.size();
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        // Nothing is asked for yet.
    }

    @Override
    protected synchronized void hookOnNext(ByteBuf piece) {
        bytes.writeBytes(ByteBufUtil.getBytes(piece));
        piece.release();
        notifyAll();
    }

    @Override
    protected synchronized void hookOnError(Throwable cause) {
        failure = cause;
    }

    @Override
    protected synchronized void hookFinally(SignalType type) {
        ended = true;
        notifyAll();
    }

    private void await(BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError("waited too long; %d bytes came, %s".formatted(bytes.size(), failure));
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }
}
