package io.millrace.cache.eviction;

import io.millrace.cache.monitor.CacheRecorder;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what a store writes, moved records included. Safe for concurrent use. */
final class WrittenBytes implements CacheRecorder {
    private final AtomicLong bytes = new AtomicLong();

    @Override
    public void stored(long size) {
        bytes.addAndGet(size);
    }

    @Override
    public void evicted(long size, long moved) {
        bytes.addAndGet(moved);
    }

    long bytes() {
        return bytes.get();
    }
}
