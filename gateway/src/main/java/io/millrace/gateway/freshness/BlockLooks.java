package io.millrace.gateway.freshness;

import io.millrace.backend.spi.ByteRange;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CachedHead;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Looks at each block of objects. Those of a large one, a million and more, take too long for an event loop. */
final class BlockLooks {
    /** So many take about a millisecond. */
    private static final long AT_ONCE = 4096;

    private BlockLooks() {}

    /** Whether these bytes are all on a disk. Comes at once, or on another thread. */
    static Mono<Boolean> holds(BlockCache cache, CachedHead head, ByteRange range) {
        long blocks = range.last() / head.blockSize() - range.first() / head.blockSize() + 1;
        return over(blocks, () -> cache.holds(head, range));
    }

    /** What a look at all blocks of an object tells; the same. */
    static <T> Mono<T> overAll(CachedHead head, Supplier<T> look) {
        return over(head.blocks(), look);
    }

    private static <T> Mono<T> over(long blocks, Supplier<T> look) {
        Mono<T> told = Mono.fromSupplier(look);
        return blocks > AT_ONCE ? told.subscribeOn(Schedulers.parallel()) : told;
    }
}
