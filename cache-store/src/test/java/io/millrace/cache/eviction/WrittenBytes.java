package io.millrace.cache.eviction;

import io.millrace.cache.monitor.CacheEventListener;
import io.millrace.cache.monitor.EvictionReason;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what a store writes, moved records included. Safe for concurrent use. */
final class WrittenBytes implements CacheEventListener {
    private final AtomicLong bytes = new AtomicLong();

    @Override
    public void stored(long size) {
        bytes.addAndGet(size);
    }

    @Override
    public void evicted(EvictionReason reason, long size, long moved) {
        bytes.addAndGet(moved);
    }

    long bytes() {
        return bytes.get();
    }
}
