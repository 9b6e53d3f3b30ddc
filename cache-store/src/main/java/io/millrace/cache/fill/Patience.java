package io.millrace.cache.fill;

import io.millrace.backend.spi.BackendException;
import org.jspecify.annotations.Nullable;

/**
 * How often one block may be stored and gone, or given up and gone, before whoever wants it does without: something is wrong with
 * all of it then. For one thread at a time.
 */
final class Patience {
    private static final int MOST = 8;

    private int vanished;

    /** The block is here. */
    void rewarded() {
        vanished = 0;
    }

    /** The block has gone; null as long as it may be asked for again. */
    @Nullable BackendException tried() {
        return ++vanished <= MOST
                ? null
                : new BackendException(
                        BackendException.Kind.UNAVAILABLE, "a block was fetched %d times and lost".formatted(MOST));
    }
}
