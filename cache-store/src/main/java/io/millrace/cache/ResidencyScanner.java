package io.millrace.cache;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.metadata.ObjectMetadata;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Looks at each block of objects. Those of a large one, a million and more, take too long for an event loop, and for the threads that
 * timers run on: they are looked at on a thread for nothing else, some thousand of one object and then some of the next. Safe for use by
 * any number of threads.
 */
final class ResidencyScanner implements AutoCloseable {
    /** Blocks that are looked at at once: about a millisecond. */
    static final long SLICE_BLOCKS = 4096;

    /** Looks under way, the one for which one more has no place: with all of them each goes on a few times a second. */
    static final int MAX_CONCURRENT = 64;

    /** What is counted of an object: a minute at most, if nobody else looks. Of blocks of 1 MiB it is 256 TiB. */
    static final long MAX_COUNTED_BLOCKS = 1L << 28;

    private static final int IDLE_SECONDS = 30;

    private final BlockLocator whereabouts;
    private final AtomicInteger running = new AtomicInteger();
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), ResidencyScanner::named);

    ResidencyScanner(BlockLocator whereabouts) {
        this.whereabouts = whereabouts;
        thread.allowCoreThreadTimeOut(true);
    }

    private static Thread named(Runnable work) {
        Thread thread = new Thread(work, "block-looks");
        thread.setDaemon(true);
        return thread;
    }

    /** Whether these bytes are all on disks; empty if too many look. Comes at once, or on another thread. */
    Mono<Boolean> isFullyResident(ObjectMetadata head, ByteRange range) {
        long blocks = range.last() / head.blockSize() - range.first() / head.blockSize() + 1;
        return over(blocks, () -> new FullyResidentScan(head, range));
    }

    /** How many bytes of an object's first {@link #MAX_COUNTED_BLOCKS} blocks are on disks; the same. */
    Mono<Long> countResidentBytes(ObjectMetadata head) {
        return over(head.blocks(), () -> new ResidentBytesScan(head));
    }

    /** Looks that have not ended. */
    int running() {
        return running.get();
    }

    /** Ends what is under way, which tells nothing then. */
    @Override
    public void close() {
        thread.shutdown();
    }

    private <T> Mono<T> over(long blocks, Supplier<Scan<T>> look) {
        return blocks <= SLICE_BLOCKS
                ? Mono.fromSupplier(() -> look.get().nextSlice().orElseThrow())
                : Mono.create(sink -> begin(look.get(), sink));
    }

    private <T> void begin(Scan<T> look, MonoSink<T> sink) {
        if (running.incrementAndGet() > MAX_CONCURRENT) {
            running.decrementAndGet();
            sink.success();
            return;
        }
        ScheduledScan<T> turn = new ScheduledScan<>(look, sink);
        sink.onDispose(turn::leave);
        turn.await();
    }

    /** A look that is made in pieces, by one thread at a time. */
    private interface Scan<T> {
        /** Looks at a piece of it, or at what is left; empty if there is more. */
        Optional<T> nextSlice();
    }

    private final class FullyResidentScan implements Scan<Boolean> {
        private final ObjectMetadata head;
        private final ByteRange range;
        private long first;

        FullyResidentScan(ObjectMetadata head, ByteRange range) {
            this.head = head;
            this.range = range;
            this.first = range.first();
        }

        @Override
        public Optional<Boolean> nextSlice() {
            long last = first + Math.min(range.last() - first, SLICE_BLOCKS * head.blockSize() - 1);
            if (!whereabouts.isFullyResident(head, new ByteRange(first, last))) {
                return Optional.of(false);
            }
            first = last + 1;
            return last == range.last() ? Optional.of(true) : Optional.empty();
        }
    }

    private final class ResidentBytesScan implements Scan<Long> {
        private final ObjectMetadata head;
        private final long end;
        private long next;
        private long bytes;

        ResidentBytesScan(ObjectMetadata head) {
            this.head = head;
            this.end = Math.min(head.blocks(), MAX_COUNTED_BLOCKS);
        }

        @Override
        public Optional<Long> nextSlice() {
            long until = Math.min(end, next + SLICE_BLOCKS);
            bytes += whereabouts.residentBytes(head, next, until);
            next = until;
            return next == end ? Optional.of(bytes) : Optional.empty();
        }
    }

    /** One look among those that take turns. */
    private final class ScheduledScan<T> implements Runnable {
        private final Scan<T> look;
        private final MonoSink<T> sink;
        private volatile boolean left;

        ScheduledScan(Scan<T> look, MonoSink<T> sink) {
            this.look = look;
            this.sink = sink;
        }

        void leave() {
            left = true;
        }

        void await() {
            try {
                thread.execute(this);
            } catch (RejectedExecutionException closing) {
                end(sink::success);
            }
        }

        @Override
        public void run() {
            if (left) {
                end(() -> {});
                return;
            }
            Optional<T> told;
            try {
                told = look.nextSlice();
            } catch (RuntimeException e) {
                end(() -> sink.error(e));
                return;
            }
            told.ifPresentOrElse(result -> end(() -> sink.success(result)), this::await);
        }

        /** Its place is free before anybody hears of it. */
        private void end(Runnable tell) {
            running.decrementAndGet();
            tell.run();
        }
    }
}
