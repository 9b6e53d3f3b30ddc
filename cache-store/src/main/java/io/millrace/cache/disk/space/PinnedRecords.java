package io.millrace.cache.disk.space;

import io.millrace.cache.disk.BlockStore;
import java.nio.ByteBuffer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The predicate of the records that eviction spares, as {@link BlockStore#keep} was given it. Safe for use by any number of threads. */
public final class PinnedRecords {
    /** The part of a disk that they may take: what is left must be enough for all else. */
    static final double SHARE = 0.5;

    private volatile @Nullable Predicate<ByteBuffer> byIdentity;

    public void set(@Nullable Predicate<ByteBuffer> what) {
        byIdentity = what;
    }

    /** Whether there is no need to ask. */
    boolean areNone() {
        return byIdentity == null;
    }

    public boolean have(ByteBuffer identity) {
        @Nullable Predicate<ByteBuffer> what = byIdentity;
        return what != null && what.test(identity);
    }
}
