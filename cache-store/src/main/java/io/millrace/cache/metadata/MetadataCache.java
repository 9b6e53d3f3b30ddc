package io.millrace.cache.metadata;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.cache.settings.MetadataSettings;
import io.millrace.kit.async.ImmediateMono;
import io.millrace.kit.async.UncancellableMono;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The in-memory cache of object metadata, backed by the {@link MetadataStore}. Metadata is published only if no write,
 * no invalidation and no contradicting listing has happened since it was requested. Thread-safe; only {@link #close}
 * blocks.
 */
public final class MetadataCache implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MetadataCache.class);

    /** The maximum size of decoded metadata in memory, in characters. */
    private static final long IN_MEMORY = 32 << 20;

    /** The longest a write waits for a store that hangs, before the stale epoch is raised instead. */
    private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(1);

    /**
     * The longest a deletion waits for the store if no client waits for it: that of a prefix, and those for another
     * gateway, of which a full queue has some ten thousands.
     */
    private static final Duration UNWATCHED_TIMEOUT = Duration.ofSeconds(5);

    private static final long CLOSE_SECONDS = 5;

    private final MetadataStore store;
    private final MetadataMaintenance maintenance;
    private final MetadataThreads threads;
    private final MetadataWriter writer;
    private final MetadataLister lister;
    private final EpochRaiser epochRaiser;
    private final PublicationGuard guard = new PublicationGuard();

    /**
     * Metadata by object; an empty value is a reservation by {@link InvalidationSafePut} and means that nothing is
     * cached.
     */
    private final Cache<ObjectId, Optional<ObjectMetadata>> inMemory = Caffeine.newBuilder()
            .maximumWeight(IN_MEMORY)
            .weigher(MetadataCache::weight)
            // Its maintenance is shorter than waking another thread for it, which every fetch would.
            .executor(Runnable::run)
            .build();

    MetadataCache(MetadataStore store, StaleEpoch epochs, MetadataMaintenance maintenance) {
        this(store, maintenance, new MetadataThreads(), new MetadataWriter(store), new EpochRaiser(epochs));
        writer.start();
    }

    /** Creates a cache of these parts. */
    MetadataCache(
            MetadataStore store,
            MetadataMaintenance maintenance,
            MetadataThreads threads,
            MetadataWriter writer,
            EpochRaiser epochRaiser) {
        this.store = store;
        this.maintenance = maintenance;
        this.threads = threads;
        this.writer = writer;
        this.lister = new MetadataLister(store, threads, writer);
        this.epochRaiser = epochRaiser;
    }

    /**
     * Opens the store in its folder.
     *
     * @param run the number of this run, one more than the last
     * @param isResident returns whether any block of an object is cached; entries of others are removed first when the
     *     store is too large
     * @throws IOException if the folder cannot be used
     */
    public static MetadataCache open(
            MetadataSettings settings,
            MetadataStorePaths folders,
            VersionFingerprints fingerprints,
            StaleEpoch epochs,
            long run,
            Predicate<ObjectMetadata> isResident)
            throws IOException {
        MetadataStore store = MetadataStore.open(
                folders.store(),
                folders.witness(),
                settings.memory().bytes(),
                new MetadataValueCodec(fingerprints),
                epochs,
                run);
        MetadataMaintenance maintenance =
                new MetadataMaintenance(store, settings.size().bytes(), isResident);
        maintenance.start();
        return new MetadataCache(store, epochs, maintenance);
    }

    /** Returns the metadata of an object if it is in memory. */
    public Optional<ObjectMetadata> inMemory(ObjectId id) {
        return inMemory.asMap().getOrDefault(id, Optional.empty());
    }

    /**
     * Returns the metadata of an object, fresh or stale; empty if there is none, or if the store does not respond in
     * time. Known at once if it is in memory.
     */
    public Mono<ObjectMetadata> find(ObjectId id) {
        Mono<ObjectMetadata> found = findOrFail(id);
        return ImmediateMono.isKnown(found) ? found : found.onErrorComplete(MetadataStoreUnavailableException.class);
    }

    /**
     * Returns the metadata of an object; fails with a {@link MetadataStoreUnavailableException} if the store does not
     * respond in time.
     */
    public Mono<ObjectMetadata> findOrFail(ObjectId id) {
        Optional<ObjectMetadata> cached = inMemory(id);
        if (cached.isPresent()) {
            return Mono.just(cached.get());
        }
        return Mono.defer(() -> {
            long epoch = guard.storedEpoch(id);
            if (guard.isBeingDeleted(id)) {
                return Mono.empty();
            }
            if (writer.contains(id)) {
                return Mono.justOrEmpty(writer.find(id));
            }
            // Most objects that are not in memory are not in the store either, and a thread costs more than that
            // answer.
            if (!threads.isHanging() && !store.mayContain(id)) {
                return Mono.empty();
            }
            return threads.read(() -> store.get(id)).doOnNext(found -> remember(found, epoch));
        });
    }

    /** Returns the write epoch of an object, to be read before the object is requested from the backend. */
    public long writeEpoch(ObjectId id) {
        return guard.writeEpoch(id);
    }

    /** Returns whether the write epoch of an object was raised lately; perhaps also if it was not. */
    public boolean isRaisedWithin(ObjectId id, Duration time) {
        return guard.isRaisedWithin(id, time);
    }

    /** Returns whether the write epoch of an object was raised lately by itself; perhaps also if it was not. */
    public boolean isRaisedAloneWithin(ObjectId id, Duration time) {
        return guard.isRaisedAloneWithin(id, time);
    }

    /** Returns whether metadata requested in this epoch may be published. */
    public boolean isCurrent(ObjectId id, long epoch) {
        return guard.isCurrent(id, epoch);
    }

    /** Returns whether an object is being written, so that none of its metadata may be published. */
    public boolean isBeingWritten(ObjectId id) {
        return guard.isBeingWritten(id);
    }

    /**
     * Publishes metadata unless a write or an invalidation has overtaken it. The store gets it soon after, if it
     * differs from the stored entry.
     *
     * @param epoch the write epoch in which it was requested
     * @return whether it was published
     */
    public boolean publish(ObjectMetadata response, long epoch) {
        return publish(response, epoch, true);
    }

    /**
     * Publishes metadata of an object of which perhaps no block is kept here: in memory, and in the store only if that
     * may have an older entry, or when a block is stored ({@link #storePublished}).
     *
     * @param epoch the write epoch in which it was requested
     * @return whether it was published
     */
    public boolean publishInMemory(ObjectMetadata response, long epoch) {
        return publish(response, epoch, false);
    }

    private boolean publish(ObjectMetadata response, long epoch, boolean isStored) {
        ObjectMetadata metadata = response.withoutTier();
        ObjectId id = metadata.id();
        Optional<ObjectMetadata> before = inMemory(id);
        BooleanSupplier counts = () -> guard.isCurrent(id, epoch);
        boolean published = InvalidationSafePut.put(inMemory.asMap(), id, metadata, counts);
        if (published
                && before.filter(cached -> isEquallyStored(cached, metadata)).isEmpty()
                && (isStored || mayBeStored(id))) {
            store(metadata, counts);
        }
        return published;
    }

    private boolean mayBeStored(ObjectId id) {
        return writer.contains(id) || !store.isAbsent(id);
    }

    /**
     * Stores the metadata of an object of which a block was stored, if it is published and the store has none: so that
     * the block is found after a restart, and by who looks for what is cached.
     */
    public void storePublished(ObjectMetadata object) {
        ObjectId id = object.id();
        long epoch = guard.writeEpoch(id);
        Optional<ObjectMetadata> published =
                inMemory(id).filter(now -> now.version().equals(object.version()) && !mayBeStored(id));
        if (published.isPresent() && MetadataValueCodec.canEncode(published.get())) {
            ObjectMetadata queued = published.get();
            // Also in memory still, perhaps revalidated meanwhile: who invalidates it raises the epoch before, and
            // deletes what is stored after that.
            BooleanSupplier counts = () -> guard.isCurrent(id, epoch)
                    && inMemory(id).filter(now -> isEquallyStored(now, queued)).isPresent();
            boolean unused = writer.add(queued, counts);
        }
    }

    /**
     * Stores metadata that is the only record of its object, in place of what is known, and then makes it known. When
     * it completes, it survives the end of the process; fails with an {@link IOException} if it is not stored. The
     * caller sees to it that nothing else publishes metadata of the object, or writes it at the same time, and that few
     * run at a time. Continues if cancelled.
     */
    public Mono<Void> keep(ObjectMetadata metadata) {
        return Mono.create(sink -> inTurn(
                () -> {
                    if (!MetadataValueCodec.canEncode(metadata)) {
                        throw new IOException("the metadata of an object is too large");
                    }
                    store.keep(metadata);
                    // A reader that has read the entry before must not put it into memory after this. Nobody fetches
                    // the object, so its write epoch stays as it is.
                    guard.raiseStored(metadata.id());
                    inMemory.asMap().put(metadata.id(), Optional.of(metadata));
                },
                sink));
    }

    /**
     * Deletes the metadata of an object that {@link #keep} stored, under the same conditions. When it completes, the
     * deletion survives the end of the process.
     */
    public Mono<Void> discard(ObjectId id) {
        return Mono.create(sink -> inTurn(
                () -> {
                    guard.beginDeletion(id);
                    try {
                        guard.raiseStored(id);
                        inMemory.asMap().remove(id);
                        store.delete(id);
                    } finally {
                        guard.endDeletion(id);
                    }
                },
                sink));
    }

    /** Runs a step of the store on a deletion thread. */
    private void inTurn(StoreOperation step, MonoSink<Void> sink) {
        try {
            threads.delete(() -> step.run(sink::success, sink::error));
        } catch (RejectedExecutionException tooMany) {
            sink.error(new MetadataStoreUnavailableException("too many wait for it"));
        }
    }

    private static boolean isEquallyStored(ObjectMetadata cached, ObjectMetadata metadata) {
        return !cached.mustRevalidate()
                && cached.head().equals(metadata.head())
                && cached.complete() == metadata.complete();
    }

    private void store(ObjectMetadata metadata, BooleanSupplier counts) {
        if (!MetadataValueCodec.canEncode(metadata) || !writer.add(metadata, counts)) {
            // The stored entry is older.
            invalidate(metadata.id());
        }
    }

    private void remember(ObjectMetadata found, long epoch) {
        InvalidationSafePut.putIfAbsent(
                inMemory.asMap(), found.id(), found, () -> guard.isStoredCurrent(found.id(), epoch));
    }

    /** Removes the metadata of an object from memory and deletes its stored entry in the background. */
    public void invalidate(ObjectId id) {
        deleteStored(id, () -> {}, MetadataCache::warn);
    }

    private static void warn(Throwable failure) {
        log.warn(
                "Outdated metadata of an object could not be deleted and may be served after a restart; check"
                        + " the disk of the metadata store: {}",
                failure.toString());
    }

    /**
     * Invalidates an object that the backend reports as missing or changed. If no metadata of it was known, no write
     * epoch is raised, so that the backend's response may be cached.
     */
    public void invalidateMissing(ObjectId id) {
        if (inMemory.asMap().containsKey(id) || writer.contains(id)) {
            invalidate(id);
            return;
        }
        guard.beginDeletion(id);
        onDeleter(() -> deleteIfStored(id), () -> guard.endDeletion(id), failure -> {
            guard.endDeletion(id);
            warn(failure);
        });
    }

    private void deleteIfStored(ObjectId id) throws IOException {
        if (store.get(id).isPresent()) {
            // A reader that has read the entry before must not put it into memory.
            raiseWriteEpoch(id);
            store.delete(id);
        }
    }

    /**
     * Announces a write of an object: removes its metadata, and blocks the publishing of new metadata until
     * {@link #endWrite}. The caller sends the write only after this completes, and not at all if it fails, because the
     * old metadata could be used after a crash. Completes at once if nothing is stored of the object, as of a new one.
     */
    public Mono<Void> beginWrite(ObjectId id) {
        return beginWrites(List.of(id), WRITE_TIMEOUT);
    }

    /**
     * Announces writes that another gateway has sent, as {@link #beginWrite} does one. What is stored of the objects is
     * deleted in one step; completes at once if that is nothing, as of most objects that somebody else writes.
     */
    public Mono<Void> beginWrites(Collection<ObjectId> ids) {
        return beginWrites(ids, UNWATCHED_TIMEOUT);
    }

    private Mono<Void> beginWrites(Collection<ObjectId> ids, Duration timeout) {
        return Mono.defer(() -> {
            ids.forEach(guard::beginWrite);
            List<ObjectId> stored = ids.stream().filter(this::beginDeletion).toList();
            return stored.isEmpty() ? Mono.empty() : deleted(stored).timeout(timeout, epochRaiser.raised());
        });
    }

    /** Marks the deletion of a stored entry; returns whether there may be one. */
    private boolean beginDeletion(ObjectId id) {
        guard.beginDeletion(id);
        raiseWriteEpoch(id);
        // In this order: what was requested before and is not queued any more is in the store, and what is queued from
        // now on was requested later, or is dropped when its turn comes.
        boolean isStored = mayBeStored(id);
        if (!isStored) {
            guard.endDeletion(id);
        }
        return isStored;
    }

    private Mono<Void> deleted(Collection<ObjectId> ids) {
        return Mono.create(sink -> onDeleter(
                () -> store.delete(ids),
                () -> {
                    ids.forEach(guard::endDeletion);
                    sink.success();
                },
                failure -> {
                    ids.forEach(guard::endDeletion);
                    sink.error(failure);
                }));
    }

    /** Prevents the publishing of metadata that was requested before this call. */
    public void raiseWriteEpoch(ObjectId id) {
        guard.raise(id);
        inMemory.asMap().remove(id);
    }

    /** Ends a write that {@link #beginWrite} announced. */
    public void endWrite(ObjectId id) {
        raiseWriteEpoch(id);
        guard.endWrite(id);
    }

    /**
     * Invalidates all objects below a prefix. When it completes, the invalidation survives crashes and power losses; if
     * it fails, it holds until the process ends. Continues if cancelled.
     */
    public Mono<Void> invalidate(ObjectPrefix below) {
        Mono<Void> deleted = Mono.create(sink -> onDeleter(() -> store.delete(below), sink::success, sink::error));
        return invalidated(() -> guard.begin(below), deleted.timeout(UNWATCHED_TIMEOUT, epochRaiser.raised()));
    }

    /** Invalidates all objects as {@link #invalidate(ObjectPrefix)} those below a prefix: stored ones are stale. */
    public Mono<Void> invalidateAll() {
        return invalidated(guard::beginAll, epochRaiser.raised());
    }

    private Mono<Void> invalidated(Supplier<PublicationGuard.PrefixInvalidation> begin, Mono<Void> recorded) {
        Mono<Void> forgotten = Mono.defer(() -> {
            PublicationGuard.PrefixInvalidation running = begin.get();
            return recorded.doOnTerminate(() -> {
                // Again: requests and reads of the store that began meanwhile must not be published after the sweep.
                guard.raise(running);
                inMemory.asMap().keySet().removeIf(running::holds);
                guard.end(running);
            });
        });
        return UncancellableMono.of(forgotten);
    }

    /** Returns whether so many deletions are queued that others had better wait: half of what the queue takes. */
    public boolean isBusyDeleting() {
        return threads.areDeletionsQueued();
    }

    /**
     * Lists a page of the stored entries below a prefix, in key order. Fails with a
     * {@link MetadataStoreUnavailableException} if the store has failed or does not respond in time.
     *
     * @param after the last entry of the previous page; empty for the first page
     * @param maxEntries the maximum number of entries
     */
    public Mono<List<ObjectMetadata>> list(ObjectPrefix below, Optional<ObjectId> after, int maxEntries) {
        return lister.list(below, after, maxEntries);
    }

    /** Returns the share of a prefix's entries that precede {@code position}, 0 to 1; an estimate. */
    public double listProgress(ObjectPrefix below, ObjectId position) {
        return store.fraction(below, position);
    }

    /** Returns the store's statistics, a few seconds old at most. */
    public MetadataStoreStats stats() {
        MetadataStoreStats seen = maintenance.stats();
        return threads.isHanging() ? seen.unhealthy() : seen;
    }

    /**
     * Closes the store cleanly.
     *
     * @throws IOException if that failed: no clean stop must be recorded
     */
    @Override
    public void close() throws IOException {
        maintenance.close();
        writer.close();
        threads.close();
        epochRaiser.shutdown();
        try {
            if (!isEverythingStored()) {
                log.warn("The metadata store did not take all changes before its closing; its entries are revalidated"
                        + " once after the restart; check its disk");
                epochRaiser.raiseNow();
            }
        } finally {
            store.close();
        }
    }

    /** Otherwise the store may have entries that are older than what readers have seen. */
    private boolean isEverythingStored() {
        try {
            return epochRaiser.awaitEnd(CLOSE_SECONDS) && threads.haveDeletionsEnded() && writer.isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Marks the deletion before it raises the write epoch, so that a caller with the new epoch sees the mark. */
    private void deleteStored(ObjectId id, Runnable done, Consumer<Throwable> failed) {
        guard.beginDeletion(id);
        raiseWriteEpoch(id);
        onDeleter(() -> store.delete(id), () -> settle(id, done), failure -> settle(id, () -> failed.accept(failure)));
    }

    private void settle(ObjectId id, Runnable then) {
        guard.endDeletion(id);
        then.run();
    }

    /** Runs a step on a deletion thread; raises the stale epoch instead if too many deletions are queued. */
    private void onDeleter(StoreOperation step, Runnable done, Consumer<Throwable> failed) {
        try {
            threads.delete(() -> step.run(done, failed));
        } catch (RejectedExecutionException tooMany) {
            epochRaiser.raise(done, failed);
        }
    }

    static int weight(ObjectId id, Optional<ObjectMetadata> metadata) {
        int weight = 300 + Objects.requireNonNull(id).characters();
        if (metadata.isPresent()) {
            for (HeaderList.HeaderField field : metadata.get().head().headers().fields()) {
                weight += 60 + field.name().length() + field.value().length();
            }
        }
        return weight;
    }
}
