package io.millrace.gateway.cluster;

import reactor.core.publisher.Mono;

/** The cache of this member, as the announcements of others change it. */
public interface AnnouncedCache {
    /**
     * Applies an announcement. When it completes, no reader who asks from then on gets what was requested before;
     * what is stored is deleted soon after. Waits while so many deletions are queued that more might overflow, and
     * fails if that takes long.
     */
    Mono<Void> apply(Announcement announcement);

    /** Invalidates a bucket, or {@link BackendBucket#EVERY}; completes when that is durable. */
    Mono<Void> invalidate(BackendBucket bucket);

    /** Completes when the deletions of all announcements applied so far are durable. */
    Mono<Void> sync();
}
