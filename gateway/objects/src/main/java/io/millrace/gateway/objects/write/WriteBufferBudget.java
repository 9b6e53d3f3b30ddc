package io.millrace.gateway.objects.write;

import java.util.concurrent.atomic.AtomicLong;

/** Bounds the memory of all {@link WriteBuffer}s. Thread-safe. */
final class WriteBufferBudget {
    /** The maximum size of one body; larger objects are fetched when a client reads them. */
    static final long MOST_OF_ONE = 64 << 20;

    private static final long MOST_OF_ALL = 128 << 20;

    private final AtomicLong held = new AtomicLong();

    /** Returns a buffer for a body of this size; it keeps nothing if there is no memory. */
    WriteBuffer hold(long bytes) {
        if (bytes == 0 || bytes > MOST_OF_ONE) {
            return WriteBuffer.none();
        }
        if (held.addAndGet(bytes) > MOST_OF_ALL) {
            held.addAndGet(-bytes);
            return WriteBuffer.none();
        }
        return WriteBuffer.of(bytes, () -> held.addAndGet(-bytes));
    }
}
