package io.millrace.gateway.objects.write;

import java.util.concurrent.atomic.AtomicLong;

/** Bounds the memory of all {@link CacheableWriteBuffer}s. Thread-safe. */
final class CacheableWriteBufferBudget {
    /** The maximum size of one body; larger objects are fetched when a client reads them. */
    static final long MAX_BODY_BYTES = 64 << 20;

    private static final long MAX_TOTAL_BYTES = 128 << 20;

    private final AtomicLong held = new AtomicLong();

    /** Returns a buffer for a body of this size; it keeps nothing if there is no memory. */
    CacheableWriteBuffer reserve(long bytes) {
        if (bytes == 0 || bytes > MAX_BODY_BYTES) {
            return CacheableWriteBuffer.none();
        }
        if (held.addAndGet(bytes) > MAX_TOTAL_BYTES) {
            held.addAndGet(-bytes);
            return CacheableWriteBuffer.none();
        }
        return CacheableWriteBuffer.of(bytes, () -> held.addAndGet(-bytes));
    }
}
