package io.millrace.gateway.objects.write;

import java.util.concurrent.atomic.AtomicLong;

/** Bounds the memory of all {@link WriteBuffer}s. Thread-safe. */
final class WriteBufferBudget {
    /** The maximum size of one body; larger objects are fetched when a client reads them. */
    static final long MAX_BODY_BYTES = 64 << 20;

    private static final long MAX_TOTAL_BYTES = 128 << 20;

    private final AtomicLong held = new AtomicLong();

    /** Returns a buffer for a body of this size; it keeps nothing if there is no memory. */
    WriteBuffer reserve(long bytes) {
        if (bytes == 0 || bytes > MAX_BODY_BYTES) {
            return WriteBuffer.none();
        }
        if (held.addAndGet(bytes) > MAX_TOTAL_BYTES) {
            held.addAndGet(-bytes);
            return WriteBuffer.none();
        }
        return WriteBuffer.of(bytes, () -> held.addAndGet(-bytes));
    }
}
