package io.millrace.gateway.cluster;

import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The cache of a member that is made after the protocol, whose leases its reads ask; set before any message comes. */
final class LaterCache implements AnnouncedCache {
    private volatile @Nullable AnnouncedCache cache;

    void set(AnnouncedCache made) {
        cache = made;
    }

    private AnnouncedCache cache() {
        AnnouncedCache made = cache;
        if (made == null) {
            throw new IllegalStateException("the member is not started");
        }
        return made;
    }

    @Override
    public Mono<Void> apply(Announcement announcement) {
        return Mono.defer(() -> cache().apply(announcement));
    }

    @Override
    public Mono<Void> invalidate(BackendBucket bucket) {
        return Mono.defer(() -> cache().invalidate(bucket));
    }

    @Override
    public Mono<Void> sync() {
        return Mono.defer(() -> cache().sync());
    }
}
