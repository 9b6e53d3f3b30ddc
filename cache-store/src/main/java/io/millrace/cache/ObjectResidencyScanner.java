package io.millrace.cache;

import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.metadata.ObjectMetadata;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Checks whether a range of an object is fully cached, or counts its cached bytes, without blocking event loops. A large object has
 * a million blocks and more; those are scanned on a dedicated thread, which takes turns among the objects after some thousand blocks
 * each. Thread-safe.
 */
final class ObjectResidencyScanner implements AutoCloseable {
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

    private final BlockLocator locator;
    private final AtomicInteger running = new AtomicInteger();
    private final Scheduler thread = Schedulers.newSingle("residency-scanner", true);

    ObjectResidencyScanner(BlockLocator locator) {
        this.locator = locator;
    }

    /**
     * Returns whether all bytes of a range are on disks; empty if too many scans are running. Completes at once for a
     * small range, otherwise on the scanner's thread.
     */
    Mono<Boolean> isFullyResident(ObjectMetadata metadata, ByteRange range) {
        long blocks = range.last() / metadata.blockSize() - range.first() / metadata.blockSize() + 1;
        if (blocks <= SLICE_BLOCKS) {
            return Mono.fromSupplier(() -> locator.isFullyResident(metadata, range));
        }
        long bytes = SLICE_BLOCKS * metadata.blockSize();
        LongFunction<Boolean> scan = slice -> {
            long first = range.first() + slice * bytes;
            return locator.isFullyResident(metadata, new ByteRange(first, Math.min(range.last(), first + bytes - 1)));
        };
        return limited(slices(range.length(), bytes, scan).all(Boolean::booleanValue));
    }

    /**
     * Returns how many bytes of an object's first {@link #MAX_COUNTED_BLOCKS} blocks are on disks; empty if too many
     * scans are running.
     */
    Mono<Long> countResidentBytes(ObjectMetadata metadata) {
        long blocks = Math.min(metadata.blocks(), MAX_COUNTED_BLOCKS);
        if (blocks <= SLICE_BLOCKS) {
            return Mono.fromSupplier(() -> locator.residentBytes(metadata, 0, blocks));
        }
        LongFunction<Long> scan = slice ->
                locator.residentBytes(metadata, slice * SLICE_BLOCKS, Math.min(blocks, (slice + 1) * SLICE_BLOCKS));
        return limited(slices(blocks, SLICE_BLOCKS, scan).reduce(0L, Long::sum));
    }

    /** Returns the number of running scans. */
    int running() {
        return running.get();
    }

    /** Ends running scans, which complete empty. */
    @Override
    public void close() {
        thread.disposeGracefully().subscribe();
    }

    /** Emits the results of the slices, each of which waits for its turn behind the slices of other objects. */
    private <T> Flux<T> slices(long whole, long each, LongFunction<T> scan) {
        return Flux.<Long, Long>generate(() -> 0L, (slice, sink) -> {
                    if (slice * each < whole) {
                        sink.next(slice);
                    } else {
                        sink.complete();
                    }
                    return slice + 1;
                })
                .concatMap(slice -> Mono.fromSupplier(() -> scan.apply(slice)).subscribeOn(thread), 1);
    }

    /** Runs a scan, or completes empty if there are too many or the thread is closed. Its place is free before its result. */
    private <T> Mono<T> limited(Mono<T> scan) {
        return Mono.using(
                        running::incrementAndGet,
                        now -> now > MAX_CONCURRENT ? Mono.<T>empty() : scan,
                        now -> running.decrementAndGet(),
                        true)
                .onErrorComplete(RejectedExecutionException.class);
    }
}
