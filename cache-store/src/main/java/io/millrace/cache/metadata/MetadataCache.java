package io.millrace.cache.metadata;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.cache.async.ValidatedPut;
import io.millrace.cache.settings.MetadataSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Object metadata, in memory and in the metadata store behind that. Metadata is published only if nothing has overtaken it since it was
 * asked for: neither a write, nor an invalidation, nor a listing that contradicts it. Safe for use by any number of threads; nothing here
 * blocks but {@link #close}.
 */
public final class MetadataCache implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MetadataCache.class);

    /** Decoded metadata in memory, in characters of what it holds. */
    private static final long IN_MEMORY = 32 << 20;

    /** So long a write waits for a store that hangs, before the stale epoch is raised instead. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /** The same for the deletion of a prefix, for which nothing is held up. */
    private static final Duration PREFIX_PATIENCE = Duration.ofSeconds(5);

    /** So long who goes over many entries waits for the next of them. */
    private static final Duration SCAN_PATIENCE = Duration.ofSeconds(10);

    private final MetadataStore store;
    private final StaleEpoch epochs;
    private final MetadataThreads threads;
    private final MetadataWriter writer;
    private final MetadataMaintenance maintenance;
    private final WriteEpochs writeEpochs = new WriteEpochs();
    private final BucketObjectCounts writes = new BucketObjectCounts();

    /** Objects whose stored entry does not count any more, and is about to be deleted. */
    private final BucketObjectCounts deletions = new BucketObjectCounts();

    /** Prefixes of which everything is being forgotten: a place each, however often one is. */
    private final Set<ForgottenPrefix> prefixes = ConcurrentHashMap.newKeySet();

    /** Raises the stale epoch, which must not wait for the store. */
    private final ExecutorService raising;

    private final Queue<Waiter> waitForEpoch = new ConcurrentLinkedQueue<>();

    /** Empty where a place is only reserved, see {@link ValidatedPut}: then nothing is known. */
    private final Cache<ObjectId, Optional<ObjectMetadata>> inMemory = Caffeine.newBuilder()
            .maximumWeight(IN_MEMORY)
            .weigher(MetadataCache::weight)
            .build();

    /** Somebody who goes on when the stale epoch is raised, or that has failed. */
    private record Waiter(Runnable done, Consumer<Throwable> failed) {}

    MetadataCache(MetadataStore store, StaleEpoch epochs, MetadataMaintenance maintenance) {
        this(
                store,
                epochs,
                maintenance,
                new MetadataThreads(),
                new MetadataWriter(store),
                Executors.newSingleThreadExecutor(MetadataCache::thread));
        writer.start();
    }

    /**
     * One of these parts.
     *
     * @param raising raises the stale epoch
     */
    MetadataCache(
            MetadataStore store,
            StaleEpoch epochs,
            MetadataMaintenance maintenance,
            MetadataThreads threads,
            MetadataWriter writer,
            ExecutorService raising) {
        this.store = store;
        this.epochs = epochs;
        this.maintenance = maintenance;
        this.threads = threads;
        this.writer = writer;
        this.raising = raising;
    }

    /**
     * Opens the store in its folder.
     *
     * @param run the number of this run, one more than the last
     * @param isResident whether some of an object is cached: asked for what goes first when the store is too large
     * @throws IOException if the folder cannot be used
     */
    public static MetadataCache open(
            MetadataSettings settings,
            MetadataFolders folders,
            VersionFingerprints fingerprints,
            StaleEpoch epochs,
            long run,
            Predicate<ObjectMetadata> isResident)
            throws IOException {
        MetadataStore store = MetadataStore.open(
                folders.store(),
                folders.witness(),
                settings.memory().bytes(),
                new MetadataCodec(fingerprints),
                epochs,
                run);
        MetadataMaintenance maintenance =
                new MetadataMaintenance(store, settings.size().bytes(), isResident);
        maintenance.start();
        return new MetadataCache(store, epochs, maintenance);
    }

    /** What is known of an object, if it is in memory. */
    public Optional<ObjectMetadata> inMemory(ObjectId id) {
        return inMemory.asMap().getOrDefault(id, Optional.empty());
    }

    /** What is known of an object, fresh or not; empty if nothing is, or if the store does not tell in time. */
    public Mono<ObjectMetadata> find(ObjectId id) {
        return findOrFail(id).onErrorComplete(MetadataUnavailableException.class);
    }

    /** The same; fails with a {@link MetadataUnavailableException} if the store does not tell in time. */
    Mono<ObjectMetadata> findOrFail(ObjectId id) {
        Optional<ObjectMetadata> known = inMemory(id);
        if (known.isPresent()) {
            return Mono.just(known.get());
        }
        return Mono.defer(() -> {
            long epoch = writeEpochs.of(id);
            if (deletions.contains(id)) {
                return Mono.empty();
            }
            if (writer.contains(id)) {
                return Mono.justOrEmpty(writer.find(id));
            }
            return threads.readOrFail(() -> store.get(id)).doOnNext(found -> remember(found, epoch));
        });
    }

    /** The write epoch of an object, to be taken before it is asked for. */
    public long writeEpoch(ObjectId id) {
        return writeEpochs.of(id);
    }

    /** Whether what was asked for in this epoch may be published. */
    public boolean isCurrent(ObjectId id, long epoch) {
        return writeEpochs.of(id) == epoch
                && !writes.contains(id)
                && (prefixes.isEmpty() || prefixes.stream().noneMatch(below -> below.holds(id)));
    }

    /** Whether an object is being written, so that nothing of it may be published. */
    public boolean isBeingWritten(ObjectId id) {
        return writes.contains(id);
    }

    /**
     * Publishes metadata, unless something has overtaken it. It is stored soon, if it tells something new.
     *
     * @param epoch the write epoch it was asked for in
     * @return whether it is known from now on
     */
    public boolean publish(ObjectMetadata metadata, long epoch) {
        ObjectId id = metadata.id();
        Optional<ObjectMetadata> before = inMemory(id);
        BooleanSupplier counts = () -> isCurrent(id, epoch);
        boolean published = ValidatedPut.put(inMemory.asMap(), id, metadata, counts);
        if (published
                && before.filter(known -> isEquallyStored(known, metadata)).isEmpty()) {
            store(metadata, counts);
        }
        return published;
    }

    private static boolean isEquallyStored(ObjectMetadata known, ObjectMetadata metadata) {
        return !known.mustRevalidate()
                && known.head().equals(metadata.head())
                && known.complete() == metadata.complete();
    }

    private void store(ObjectMetadata metadata, BooleanSupplier counts) {
        if (!MetadataCodec.canEncode(metadata) || !writer.add(metadata, counts)) {
            // What is stored of it is older.
            deleteStored(metadata.id(), () -> {}, failure -> {});
        }
    }

    private void remember(ObjectMetadata found, long epoch) {
        ValidatedPut.putIfAbsent(inMemory.asMap(), found.id(), found, () -> isCurrent(found.id(), epoch));
    }

    /** From now on nothing is known of an object. */
    public void invalidate(ObjectId id) {
        deleteStored(id, () -> {}, MetadataCache::warn);
    }

    private static void warn(Throwable failure) {
        log.warn("What is stored of an object may be believed after a restart: {}", failure.toString());
    }

    /**
     * The backend says that an object is not there, or another version: from now on nothing is known of it. Overtakes nothing if nothing
     * was, so that the answer may be remembered.
     */
    public void invalidateMissing(ObjectId id) {
        if (inMemory.asMap().containsKey(id) || writer.contains(id)) {
            invalidate(id);
            return;
        }
        deletions.begin(id);
        onDeleter(() -> deleteIfStored(id), () -> deletions.end(id), failure -> {
            deletions.end(id);
            warn(failure);
        });
    }

    private void deleteIfStored(ObjectId id) throws IOException {
        if (store.get(id).isPresent()) {
            // Whoever has read it before must not remember it.
            overtake(id);
            store.delete(id);
        }
    }

    /**
     * Announces a write of an object: nothing is known of it from now on, and nothing of it is published until {@link #endWrite}. The write
     * must not be sent before this completes, and not at all if this fails: what was known could be believed after a crash.
     */
    public Mono<Void> beginWrite(ObjectId id) {
        Mono<Void> deleted = Mono.create(sink -> deleteStored(id, sink::success, sink::error));
        return Mono.defer(() -> {
            writes.begin(id);
            return deleted.timeout(PATIENCE, raised());
        });
    }

    /** From now on nothing that was asked for before is published. */
    public void overtake(ObjectId id) {
        writeEpochs.raise(id);
        inMemory.asMap().remove(id);
    }

    /** Ends what {@link #beginWrite} began. */
    public void endWrite(ObjectId id) {
        overtake(id);
        writes.end(id);
    }

    /**
     * Forgets what is known of all objects below a prefix. It holds through crashes and power losses when it completes, and until the
     * process ends if it fails; it goes on if it is cancelled.
     */
    public Mono<Void> invalidate(ObjectPrefix below) {
        Mono<Void> deleted = Mono.create(sink -> onDeleter(() -> store.delete(below), sink::success, sink::error));
        Mono<Void> forgotten = Mono.defer(() -> {
            ForgottenPrefix underWay = new ForgottenPrefix(below);
            prefixes.add(underWay);
            writeEpochs.raise(below.backend(), below.bucket());
            return deleted.timeout(PREFIX_PATIENCE, raised()).doOnTerminate(() -> {
                // Once more: who has asked meanwhile, or has read the store, must not publish that after the sweep.
                writeEpochs.raise(below.backend(), below.bucket());
                inMemory.asMap().keySet().removeIf(below::holds);
                prefixes.remove(underWay);
            });
        });
        return Mono.create(sink -> forgotten.subscribe(none -> {}, sink::error, sink::success));
    }

    /**
     * Some of the stored entries below a prefix, in the order of their keys. Fails with a {@link MetadataUnavailableException} if the
     * store does not tell in time, or has failed.
     *
     * @param after the entry to go on after; empty for the first
     * @param most how many
     */
    public Mono<List<ObjectMetadata>> list(ObjectPrefix below, Optional<ObjectId> after, int most) {
        Mono<List<ObjectMetadata>> listed = Mono.create(sink -> {
            try {
                threads.scan(() -> list(below, after, most, sink));
            } catch (RejectedExecutionException tooMany) {
                sink.error(new MetadataUnavailableException("too many wait for it"));
            }
        });
        return listed.timeout(SCAN_PATIENCE, Mono.error(MetadataUnavailableException::new));
    }

    private void list(ObjectPrefix below, Optional<ObjectId> after, int most, MonoSink<List<ObjectMetadata>> sink) {
        try {
            sink.success(store.list(below, after, most));
        } catch (IOException e) {
            sink.error(new MetadataUnavailableException(e.toString()));
        } catch (RuntimeException e) {
            sink.error(e);
        }
    }

    /** How much of a range lies before an entry, 0 to 1. */
    public double listed(ObjectPrefix below, ObjectId position) {
        return store.fraction(below, position);
    }

    /** Numbers of the store, some seconds old at most. */
    public MetadataStats state() {
        MetadataStats seen = maintenance.state();
        return threads.hang() ? seen.unhealthy() : seen;
    }

    /**
     * Closes the store in order.
     *
     * @throws IOException if that was not possible: the next start must find it as after a power loss
     */
    @Override
    public void close() throws IOException {
        maintenance.close();
        raising.shutdown();
        threads.close();
        writer.close();
        store.close();
    }

    /** Marks it first and raises the write epoch then: whoever has taken the new epoch sees the mark. */
    private void deleteStored(ObjectId id, Runnable done, Consumer<Throwable> failed) {
        deletions.begin(id);
        overtake(id);
        onDeleter(() -> store.delete(id), () -> settle(id, done), failure -> settle(id, () -> failed.accept(failure)));
    }

    private void settle(ObjectId id, Runnable then) {
        deletions.end(id);
        then.run();
    }

    private Mono<Void> raised() {
        return Mono.create(sink -> raise(sink::success, sink::error));
    }

    private interface Step {
        void take() throws IOException;
    }

    /** Takes a step on a thread for deletions; raises the stale epoch instead if too many wait. */
    private void onDeleter(Step step, Runnable done, Consumer<Throwable> failed) {
        try {
            threads.delete(() -> take(step, done, failed));
        } catch (RejectedExecutionException tooMany) {
            raise(done, failed);
        }
    }

    /** Raises it once for all who wait by then, so that a place that hangs holds each up for two rounds at most. */
    private void raise(Runnable done, Consumer<Throwable> failed) {
        waitForEpoch.add(new Waiter(done, failed));
        try {
            raising.execute(this::raiseForAll);
        } catch (RejectedExecutionException closing) {
            failed.accept(closing);
        }
    }

    private void raiseForAll() {
        List<Waiter> waiters = new ArrayList<>();
        for (Waiter each = waitForEpoch.poll(); each != null; each = waitForEpoch.poll()) {
            waiters.add(each);
        }
        if (!waiters.isEmpty()) {
            take(
                    epochs::raise,
                    () -> waiters.forEach(waiter -> waiter.done().run()),
                    failure -> waiters.forEach(waiter -> waiter.failed().accept(failure)));
        }
    }

    private static void take(Step step, Runnable done, Consumer<Throwable> failed) {
        try {
            step.take();
        } catch (IOException | RuntimeException e) {
            failed.accept(e);
            return;
        }
        done.run();
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "metadata-epoch");
        thread.setDaemon(true);
        return thread;
    }

    /** A prefix of which everything is being forgotten; each time another. */
    private static final class ForgottenPrefix {
        private final ObjectPrefix below;

        ForgottenPrefix(ObjectPrefix below) {
            this.below = below;
        }

        boolean holds(ObjectId id) {
            return below.holds(id);
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
