package io.millrace.cache.disk;

import java.nio.ByteBuffer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds the predicate that exempts cached blocks of pinned objects from eviction, see {@link BlockStore#pin}. Safe for
 * use by any number of threads.
 */
final class PinnedBlockFilter {
    /** Part of a disk that pinned records may take, so that enough is left for all else. */
    static final double SHARE = 0.5;

    private volatile @Nullable Predicate<ByteBuffer> byIdentity;

    void set(@Nullable Predicate<ByteBuffer> pinned) {
        byIdentity = pinned;
    }

    /** Returns whether nothing is pinned. */
    boolean isEmpty() {
        return byIdentity == null;
    }

    boolean matches(ByteBuffer identity) {
        @Nullable Predicate<ByteBuffer> pinned = byIdentity;
        return pinned != null && pinned.test(identity);
    }
}
