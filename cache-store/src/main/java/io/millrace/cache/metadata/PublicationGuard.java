package io.millrace.cache.metadata;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decides whether metadata may be published: only if no write of its object and no invalidation has begun since it
 * was requested, and none is running.
 *
 * <p>Whoever requests metadata reads the write epoch before, and asks {@link #isCurrent} while it puts the metadata
 * into memory, as {@link InvalidationSafePut} does. A write or the invalidation of a prefix first marks itself as
 * running, then raises the epoch, and then removes what is in memory; before the mark goes it raises the epoch once
 * more, because metadata that was requested meanwhile may be older. The invalidation of one object raises the epoch
 * once, after it has marked the deletion of the stored entry, so that nobody who has the new epoch reads that entry.
 * Thread-safe.
 */
final class PublicationGuard {
    private final WriteEpochs epochs = new WriteEpochs();

    /**
     * Entries that were kept or discarded, apart from the writes: only readers of the store may overtake that, and with
     * so few stripes for all objects it would keep fetches of others from being published.
     */
    private final WriteEpochs storedEpochs = new WriteEpochs();

    private final RunningOperationCounts writes = new RunningOperationCounts();

    /** Objects whose stored entry is outdated and about to be deleted. */
    private final RunningOperationCounts deletions = new RunningOperationCounts();

    /** What is being invalidated, one element for each running invalidation. */
    private final Set<PrefixInvalidation> prefixes = ConcurrentHashMap.newKeySet();

    /**
     * A running invalidation of a prefix, or of all objects; has identity equality, so that equal prefixes can be
     * invalidated concurrently.
     */
    static final class PrefixInvalidation {
        /** Empty for all objects. */
        private final Optional<ObjectPrefix> below;

        private PrefixInvalidation(Optional<ObjectPrefix> below) {
            this.below = below;
        }

        boolean holds(ObjectId id) {
            return below.isEmpty() || below.get().holds(id);
        }
    }

    /** Returns the write epoch of an object, to be read before its metadata is requested. */
    long writeEpoch(ObjectId id) {
        return epochs.of(id);
    }

    /** Returns whether the write epoch of an object was raised lately; perhaps also if it was not. */
    boolean isRaisedWithin(ObjectId id, Duration time) {
        return epochs.isRaisedWithin(id, time);
    }

    /** Returns whether the write epoch of an object was raised lately by itself; perhaps also if it was not. */
    boolean isRaisedAloneWithin(ObjectId id, Duration time) {
        return epochs.isRaisedAloneWithin(id, time);
    }

    /** Returns whether metadata requested in this epoch may be published. */
    boolean isCurrent(ObjectId id, long epoch) {
        return epochs.of(id) == epoch && isSettled(id);
    }

    private boolean isSettled(ObjectId id) {
        return !writes.contains(id)
                && (prefixes.isEmpty() || prefixes.stream().noneMatch(running -> running.holds(id)));
    }

    /** Returns the epoch of an object's stored entry, to be read before the entry is. */
    long storedEpoch(ObjectId id) {
        return epochs.of(id) + storedEpochs.of(id);
    }

    /** Returns whether an entry read from the store in this epoch may be published. */
    boolean isStoredCurrent(ObjectId id, long epoch) {
        return storedEpoch(id) == epoch && isSettled(id);
    }

    /** Returns whether an object is being written, so that none of its metadata may be published. */
    boolean isBeingWritten(ObjectId id) {
        return writes.contains(id);
    }

    /**
     * Returns whether the stored entry of an object is outdated and about to be deleted, so that it must not be read.
     */
    boolean isBeingDeleted(ObjectId id) {
        return deletions.contains(id);
    }

    /** Raises the write epoch: metadata of an object that was requested before is not published. */
    void raise(ObjectId id) {
        epochs.raise(id);
    }

    /** Raises the epoch of the stored entry alone: one that was read before is not published. */
    void raiseStored(ObjectId id) {
        storedEpochs.raise(id);
    }

    void beginWrite(ObjectId id) {
        writes.begin(id);
    }

    void endWrite(ObjectId id) {
        writes.end(id);
    }

    void beginDeletion(ObjectId id) {
        deletions.begin(id);
    }

    void endDeletion(ObjectId id) {
        deletions.end(id);
    }

    /** Begins the invalidation of a prefix, and raises the write epoch of its objects. */
    PrefixInvalidation begin(ObjectPrefix below) {
        return begin(new PrefixInvalidation(Optional.of(below)));
    }

    /** Begins the invalidation of all objects, and raises their write epochs. */
    PrefixInvalidation beginAll() {
        return begin(new PrefixInvalidation(Optional.empty()));
    }

    private PrefixInvalidation begin(PrefixInvalidation running) {
        prefixes.add(running);
        raise(running);
        return running;
    }

    /** Raises the write epoch of all objects of the prefix's bucket, or of all. */
    void raise(PrefixInvalidation running) {
        running.below.ifPresentOrElse(prefix -> epochs.raise(prefix.backend(), prefix.bucket()), epochs::raiseAll);
    }

    void end(PrefixInvalidation running) {
        prefixes.remove(running);
    }
}
