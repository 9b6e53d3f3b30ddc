package io.millrace.cache;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.metadata.ObjectMetadata;
import io.netty.util.concurrent.DefaultThreadFactory;
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
 * Checks whether a range of an object is fully cached, or counts its cached bytes, without blocking event loops. A
 * large object has a million blocks and more; those are scanned on a dedicated thread, which takes turns among the
 * objects after some thousand blocks each. Thread-safe.
 */
final class CachedRangeScanner implements AutoCloseable {
    /** Blocks in one slice of a scan: about a millisecond. */
    static final long SLICE_BLOCKS = 4096;

    /**
     * The most concurrent scans; a request beyond that ends empty. With so many, each scan runs a few times a second.
     */
    static final int MAX_CONCURRENT = 64;

    /**
     * The most blocks that are counted of one object: a minute of an otherwise idle thread; 256 TiB with blocks of
     * 1 MiB.
     */
    static final long MAX_COUNTED_BLOCKS = 1L << 28;

    private static final int IDLE_SECONDS = 30;

    private final BlockLocator locator;
    private final AtomicInteger running = new AtomicInteger();
    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("range-scanner", true));

    CachedRangeScanner(BlockLocator locator) {
        this.locator = locator;
        thread.allowCoreThreadTimeOut(true);
    }

    /**
     * Returns whether all bytes of a range are on disks; empty if too many scans are running. Completes at once for a
     * small range, otherwise on the scanner's thread.
     */
    Mono<Boolean> isFullyResident(ObjectMetadata metadata, ByteRange range) {
        long blocks = range.last() / metadata.blockSize() - range.first() / metadata.blockSize() + 1;
        return over(blocks, () -> new FullyResidentScan(metadata, range));
    }

    /**
     * Returns how many bytes of an object's first {@link #MAX_COUNTED_BLOCKS} blocks are on disks; empty if too many
     * scans are running.
     */
    Mono<Long> countResidentBytes(ObjectMetadata metadata) {
        return over(metadata.blocks(), () -> new ResidentBytesScan(metadata));
    }

    /** Returns the number of running scans. */
    int running() {
        return running.get();
    }

    /** Ends running scans, which complete empty. */
    @Override
    public void close() {
        thread.shutdown();
    }

    private <T> Mono<T> over(long blocks, Supplier<Scan<T>> newScan) {
        return blocks <= SLICE_BLOCKS
                ? Mono.fromSupplier(() -> newScan.get().nextSlice().orElseThrow())
                : Mono.create(sink -> begin(newScan.get(), sink));
    }

    private <T> void begin(Scan<T> scan, MonoSink<T> sink) {
        if (running.incrementAndGet() > MAX_CONCURRENT) {
            running.decrementAndGet();
            sink.success();
            return;
        }
        ScheduledScan<T> turn = new ScheduledScan<>(scan, sink);
        sink.onDispose(turn::leave);
        turn.await();
    }

    /** A scan that runs in slices, on one thread at a time. */
    private interface Scan<T> {
        /** Scans the next slice; returns the result after the last one, otherwise empty. */
        Optional<T> nextSlice();
    }

    private final class FullyResidentScan implements Scan<Boolean> {
        private final ObjectMetadata metadata;
        private final ByteRange range;
        private long first;

        FullyResidentScan(ObjectMetadata metadata, ByteRange range) {
            this.metadata = metadata;
            this.range = range;
            this.first = range.first();
        }

        @Override
        public Optional<Boolean> nextSlice() {
            long last = first + Math.min(range.last() - first, SLICE_BLOCKS * metadata.blockSize() - 1);
            if (!locator.isFullyResident(metadata, new ByteRange(first, last))) {
                return Optional.of(false);
            }
            first = last + 1;
            return last == range.last() ? Optional.of(true) : Optional.empty();
        }
    }

    private final class ResidentBytesScan implements Scan<Long> {
        private final ObjectMetadata metadata;
        private final long end;
        private long next;
        private long bytes;

        ResidentBytesScan(ObjectMetadata metadata) {
            this.metadata = metadata;
            this.end = Math.min(metadata.blocks(), MAX_COUNTED_BLOCKS);
        }

        @Override
        public Optional<Long> nextSlice() {
            long until = Math.min(end, next + SLICE_BLOCKS);
            bytes += locator.residentBytes(metadata, next, until);
            next = until;
            return next == end ? Optional.of(bytes) : Optional.empty();
        }
    }

    /** A scan in the queue of the scanner's thread. */
    private final class ScheduledScan<T> implements Runnable {
        private final Scan<T> scan;
        private final MonoSink<T> sink;
        private volatile boolean left;

        ScheduledScan(Scan<T> scan, MonoSink<T> sink) {
            this.scan = scan;
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
            Optional<T> result;
            try {
                result = scan.nextSlice();
            } catch (RuntimeException e) {
                end(() -> sink.error(e));
                return;
            }
            result.ifPresentOrElse(value -> end(() -> sink.success(value)), this::await);
        }

        /** Frees the scan's place before it reports the result. */
        private void end(Runnable report) {
            running.decrementAndGet();
            report.run();
        }
    }
}
