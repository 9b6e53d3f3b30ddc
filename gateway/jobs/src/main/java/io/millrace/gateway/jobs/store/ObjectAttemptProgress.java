package io.millrace.gateway.jobs.store;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Counts the bytes of one attempt at one object while they move. A failed or cancelled part takes back its counts, and
 * each attempt has a new instance, so no byte counts twice. Thread-safe.
 */
public final class ObjectAttemptProgress {
    private final LongAdder throughput;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong moved = new AtomicLong();

    /** Bytes of parts that are not stored yet; they are transferred again if the job stops. */
    private final AtomicLong unstored = new AtomicLong();

    private volatile long size;

    /**
     * Creates a counter.
     *
     * @param size of the object; 0 while it is unknown
     * @param throughput counts all transferred bytes, including failed attempts
     */
    ObjectAttemptProgress(long size, LongAdder throughput) {
        this.size = size;
        this.throughput = throughput;
    }

    /** Sets the size of the object. */
    public void expect(long bytesInAll) {
        size = bytesInAll;
    }

    /** Counts bytes that are in the target without a transfer through the gateway. */
    public void present(long count) {
        bytes.addAndGet(count);
    }

    /** Counts bytes transferred through the gateway into the target. */
    public void moved(long count) {
        throughput.add(count);
        bytes.addAndGet(count);
        moved.addAndGet(count);
    }

    /** Transfers a part. Each subscription is an attempt; the counts of failed or cancelled ones are taken back. */
    public <T> Mono<T> part(Function<Part, Mono<T>> attempt) {
        return Mono.defer(() -> {
            Part part = new Part();
            return attempt.apply(part)
                    .doOnSuccess(stored -> part.store())
                    .doOnError(failure -> part.giveBack())
                    .doOnCancel(part::giveBack);
        });
    }

    /** Returns the transferred bytes of the object. */
    long bytes() {
        return bytes.get();
    }

    /** Returns the bytes that moved through the gateway. */
    long moved() {
        return moved.get();
    }

    /** Returns the transferred share of the object, 0 to 1; 0 while its size is unknown. */
    double share() {
        return share(bytes.get());
    }

    private double share(long count) {
        long all = size;
        return all <= 0 ? 0 : Math.min(1, (double) count / all);
    }

    /** Returns what need not be transferred again if the job stops now. */
    UnfinishedProgress kept() {
        long again = unstored.get();
        long kept = Math.max(0, bytes.get() - again);
        return new UnfinishedProgress(kept, Math.max(0, moved.get() - again), share(kept));
    }

    /** One attempt at a part of the object. */
    public final class Part {
        private long counted;
        private boolean over;

        private Part() {}

        /** Counts each buffer when it is handed on. */
        public Flux<ByteBuf> counted(Flux<ByteBuf> pieces) {
            return pieces.doOnNext(piece -> count(piece.readableBytes()));
        }

        private synchronized void count(long count) {
            if (over) {
                // A write may outlive the attempt that began it.
                throughput.add(count);
            } else {
                counted += count;
                unstored.addAndGet(count);
                moved(count);
            }
        }

        private synchronized void store() {
            if (!over) {
                over = true;
                unstored.addAndGet(-counted);
            }
        }

        private synchronized void giveBack() {
            if (!over) {
                over = true;
                unstored.addAndGet(-counted);
                bytes.addAndGet(-counted);
                moved.addAndGet(-counted);
            }
        }
    }
}
