package io.millrace.gateway.cluster;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;

/** A cache that is empty, and records what members announce. */
final class RecordingCache implements AnnouncedCache {
    final List<Announcement> applied = new CopyOnWriteArrayList<>();
    final List<BackendBucket> invalidated = new CopyOnWriteArrayList<>();
    final AtomicInteger begun = new AtomicInteger();

    /** What the application of an announcement waits for. */
    volatile Mono<Void> disk = Mono.empty();

    @Override
    public Mono<Void> apply(Announcement announcement) {
        begun.incrementAndGet();
        return disk.then(Mono.fromRunnable(() -> applied.add(announcement)));
    }

    @Override
    public Mono<Void> invalidate(BackendBucket bucket) {
        return Mono.fromRunnable(() -> invalidated.add(bucket));
    }

    @Override
    public Mono<Void> sync() {
        return Mono.empty();
    }
}
