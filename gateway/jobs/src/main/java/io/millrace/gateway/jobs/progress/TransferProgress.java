package io.millrace.gateway.jobs.progress;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Counts the bytes of one object in one attempt, while they move. A part that fails or is cancelled gives back what it had counted, and
 * an object that is tried again has a new transfer, so that no byte counts twice. Safe for use by any number of threads.
 */
public final class TransferProgress {
    private final LongAdder throughput;
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong moved = new AtomicLong();
    private volatile long size;

    /**
     * @param size of the object; 0 while it is not known
     * @param throughput counts all that moves, in attempts that fail too
     */
    TransferProgress(long size, LongAdder throughput) {
        this.size = size;
        this.throughput = throughput;
    }

    /** Learns the size of the object. */
    public void expect(long bytesInAll) {
        size = bytesInAll;
    }

    /** Counts bytes that are where they belong now, and did not move through here. */
    public void present(long count) {
        bytes.addAndGet(count);
    }

    /** Counts bytes that came through here, and are where they belong now. */
    public void moved(long count) {
        throughput.add(count);
        bytes.addAndGet(count);
        moved.addAndGet(count);
    }

    /** Transfers a part; each subscription is an attempt of its own, of which only what succeeds stays counted. */
    public <T> Mono<T> part(Function<Part, Mono<T>> attempt) {
        return Mono.defer(() -> {
            Part part = new Part();
            return attempt.apply(part).doOnError(failure -> part.giveBack()).doOnCancel(part::giveBack);
        });
    }

    /** Bytes of the object that have been transferred. */
    long bytes() {
        return bytes.get();
    }

    /** Those of them that moved through here. */
    long moved() {
        return moved.get();
    }

    /** How much of the object has been transferred, 0 to 1; 0 while its size is not known. */
    double share() {
        long all = size;
        return all <= 0 ? 0 : Math.min(1, (double) bytes.get() / all);
    }

    /** One attempt at a part of the object. */
    public final class Part {
        private long counted;
        private boolean over;

        private Part() {}

        /** The same pieces, each counted when it is handed on. */
        public Flux<ByteBuf> counted(Flux<ByteBuf> pieces) {
            return pieces.doOnNext(piece -> count(piece.readableBytes()));
        }

        private synchronized void count(long count) {
            if (over) {
                // A write may outlive the attempt that began it.
                throughput.add(count);
            } else {
                counted += count;
                moved(count);
            }
        }

        private synchronized void giveBack() {
            if (!over) {
                over = true;
                bytes.addAndGet(-counted);
                moved.addAndGet(-counted);
            }
        }
    }
}
