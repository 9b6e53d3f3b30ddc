package io.millrace.gateway.cluster;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.publisher.Mono;

/** A cache that is empty, and records what members announce. */
final class RecordingCache implements AnnouncedCache {
    final List<Announcement> applied = new CopyOnWriteArrayList<>();
    final List<BackendBucket> invalidated = new CopyOnWriteArrayList<>();
    volatile boolean busy;

    @Override
    public Mono<Void> apply(Announcement announcement) {
        return Mono.fromRunnable(() -> applied.add(announcement));
    }

    @Override
    public Mono<Void> invalidate(BackendBucket bucket) {
        return Mono.fromRunnable(() -> invalidated.add(bucket));
    }

    @Override
    public Mono<Void> sync() {
        return Mono.empty();
    }

    @Override
    public boolean isBusy() {
        return busy;
    }
}
