package io.millrace.gateway.objects.write;

import java.util.concurrent.atomic.AtomicLong;

/** The memory for bodies that are kept while they are written, for all writes together. Safe for use by any number of threads. */
final class WriteBufferBudget {
    /** Of one body. What is larger is fetched when it is wanted. */
    static final long MOST_OF_ONE = 64 << 20;

    private static final long MOST_OF_ALL = 128 << 20;

    private final AtomicLong held = new AtomicLong();

    /** Room for a body of so many bytes, or for nothing if there is none. */
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
