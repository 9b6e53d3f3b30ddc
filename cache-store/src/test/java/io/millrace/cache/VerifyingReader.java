package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.testkit.Polling;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.netty.util.ReferenceCounted;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** A reader that compares each received byte with the expected one; tests control its demand and its cancel. */
final class VerifyingReader extends BaseSubscriber<ReferenceCounted> {
    private final Supplier<GeneratedBytes> expected;
    private final long first;
    private final long demand;
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile long received;
    private long wanted;
    private volatile @Nullable Throwable failure;
    private volatile @Nullable String wrong;

    /**
     * @param first the byte of the object it begins with
     * @param demand how many pieces it asks for at first
     */
    VerifyingReader(Supplier<GeneratedBytes> expected, long first, long demand) {
        this.expected = expected;
        this.first = first;
        this.demand = demand;
    }

    /** Notes how many bytes it wants. */
    VerifyingReader wanting(long bytes) {
        wanted = bytes;
        return this;
    }

    long wanted() {
        return wanted;
    }

    boolean hasEnded() {
        return done.getCount() == 0;
    }

    /** Bytes it got. */
    long received() {
        return received;
    }

    /** Returns the failure that ended it, or null. */
    @Nullable Throwable failure() {
        return failure;
    }

    /** Returns the first violation, or null. */
    @Nullable String wrong() {
        return wrong;
    }

    /** Waits for its end, which must be a good one. */
    VerifyingReader await(long bytes) {
        assertThat(awaitEnd().failure()).isNull();
        assertThat(received).isEqualTo(bytes);
        return this;
    }

    /** Waits for its end, whichever; all bytes it got must be right. */
    VerifyingReader awaitEnd() {
        try {
            assertThat(done.await(60, TimeUnit.SECONDS))
                    .as("a reader ends; it has %d bytes", received)
                    .isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        assertThat(wrong).isNull();
        return this;
    }

    /** Waits until so many bytes are here. */
    void awaitBytes(long bytes) {
        Polling.within(Duration.ofSeconds(60)).until(() -> received >= bytes || done.getCount() == 0);
        assertThat(received).isGreaterThanOrEqualTo(bytes);
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        if (demand > 0) {
            request(demand);
        }
    }

    @Override
    protected void hookOnNext(ReferenceCounted piece) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CollectedBody.take(piece, out);
        byte[] bytes = out.toByteArray();
        long before = received;
        if (!Arrays.equals(bytes, expected.get().slice(first + before, bytes.length))) {
            wrong = "wrong bytes at %d".formatted(first + before);
        }
        received = before + bytes.length;
    }

    @Override
    protected void hookOnComplete() {
        done.countDown();
    }

    @Override
    protected void hookOnError(Throwable cause) {
        failure = cause;
        done.countDown();
    }

    @Override
    protected void hookOnCancel() {
        done.countDown();
    }
}
