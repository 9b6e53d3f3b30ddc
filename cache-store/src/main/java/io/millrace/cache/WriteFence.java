package io.millrace.cache;

import io.millrace.backend.spi.object.ETag;
import io.millrace.cache.metadata.ListingObserver;
import io.millrace.cache.metadata.MetadataCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectPrefix;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Prevents metadata that was requested before a write or an invalidation from being used after it. Thread-safe; never
 * blocks.
 */
public final class WriteFence {
    /**
     * The time for which a write without a response may still take effect; longer than servers are known to delay one.
     */
    public static final Duration UNANSWERED_WRITE = Duration.ofMinutes(5);

    private final MetadataCache metadata;
    private final ListingObserver observer;
    private final ObjectFetcher fetcher;

    WriteFence(MetadataCache metadata, ObjectFetcher fetcher) {
        this.metadata = metadata;
        this.observer = new ListingObserver(metadata);
        this.fetcher = fetcher;
    }

    /** Invalidates an object's metadata. Its blocks stay, under their version. */
    public void invalidate(ObjectId id) {
        metadata.invalidate(id);
    }

    /**
     * Invalidates the metadata of all objects below a prefix: each is requested before it is used. Their blocks stay,
     * under their versions. A caller who asks after the end of this never gets a response to an earlier request;
     * responses for this bucket that are in flight are used but not published. It holds through crashes and power
     * losses, and on disks that are absent. Fails with an {@link IOException} if it could not be made durable: it holds
     * until the process ends. Continues if it is cancelled.
     */
    public Mono<Void> invalidate(ObjectPrefix below) {
        return metadata.invalidate(below).doOnTerminate(() -> fetcher.forget(below));
    }

    /** Invalidates the metadata of all objects, as {@link #invalidate(ObjectPrefix)} does those below a prefix. */
    public Mono<Void> invalidateAll() {
        return metadata.invalidateAll().doOnTerminate(fetcher::forgetAll);
    }

    /** Returns whether so many deletions of metadata wait that further ones had better be announced later. */
    public boolean isBusy() {
        return metadata.isBusyDeleting();
    }

    /**
     * Announces a write of an object. The caller sends the write only after this completes, and not at all if it fails
     * with an {@link IOException}: the object's metadata is durably deleted first. Until {@link #endWrite}, responses
     * for this object are used but not published. Waits some seconds at most for a hanging metadata store. Each
     * subscription, even a cancelled one, must be ended by one {@link #endWrite}.
     */
    public Mono<Void> beginWrite(ObjectId id) {
        return metadata.beginWrite(id);
    }

    /**
     * Announces writes that another gateway has sent, as {@link #beginWrite} does one, with little work for objects of
     * which nothing is stored. Each is ended by one {@link #endWrite}. No reader gets what was stored before from the
     * subscription on; completes when that is durably deleted.
     */
    public Mono<Void> beginWrites(Collection<ObjectId> ids) {
        return metadata.beginWrites(ids);
    }

    /**
     * Ends what {@link #beginWrite} began. A caller who asks from now on never gets a response to an earlier request.
     *
     * @param acknowledged whether the backend told the outcome of the write; otherwise it may still take effect, and
     *     nothing of the object is published for another {@link #UNANSWERED_WRITE}
     */
    public void endWrite(ObjectId id, boolean acknowledged) {
        if (!acknowledged) {
            Schedulers.parallel()
                    .schedule(() -> endWrite(id, true), UNANSWERED_WRITE.toMillis(), TimeUnit.MILLISECONDS);
        }
        metadata.raiseWriteEpoch(id);
        fetcher.forget(id);
        if (acknowledged) {
            metadata.endWrite(id);
        }
    }

    /** Returns whether an object is being written, so that no response for it may be remembered. */
    public boolean isBeingWritten(ObjectId id) {
        return metadata.isBeingWritten(id);
    }

    /**
     * Returns whether a write or an invalidation of an object has begun or ended within the time that has just passed.
     * May be true without cause.
     */
    public boolean isChangedWithin(ObjectId id, Duration time) {
        return metadata.isRaisedWithin(id, time);
    }

    /**
     * Returns whether an object was written, or its metadata outdated by a list, within the time that has just passed.
     * An invalidation of many does not count, nor the start of the process. May be true without cause.
     */
    public boolean isOutdatedWithin(ObjectId id, Duration time) {
        return metadata.isRaisedAloneWithin(id, time);
    }

    /** Returns a fence, to be taken before a request is sent. */
    public Fence fence(ObjectId id) {
        return new Fence(id);
    }

    /** A moment before a request for an object; tells whether the response may be remembered. */
    public final class Fence {
        private final ObjectId id;
        private final boolean wasBeingWritten;
        private final long epoch;

        private Fence(ObjectId id) {
            this.id = id;
            this.wasBeingWritten = isBeingWritten(id);
            this.epoch = metadata.writeEpoch(id);
        }

        /** Returns whether no write or invalidation has begun or ended since then. May be false without cause. */
        public boolean isCurrent() {
            return !wasBeingWritten && !isBeingWritten(id) && metadata.writeEpoch(id) == epoch;
        }
    }

    /**
     * Learns from a listing: other metadata of the object is invalidated, at once if it is in memory, soon otherwise.
     */
    public void observe(ObjectId id, Optional<ETag> tag, long size) {
        observer.observe(id, tag, size);
    }
}
