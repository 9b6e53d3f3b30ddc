package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.fill.FillManager;
import io.millrace.cache.metadata.MetadataCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.kit.async.ImmediateMono;
import io.millrace.kit.async.UncancellableMono;
import io.millrace.kit.share.FairSemaphore;
import io.millrace.kit.share.Party;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Keeps objects that are in the cache and nowhere else. An object is first written as blocks, and is then put in the
 * place of the one before in one step; so it is found whole or not at all. Eviction takes blocks as it takes others:
 * an object that has lost one is absent. What is acknowledged survives the end of the process, but not a power loss.
 *
 * <p>Nothing else may publish metadata under the ids of these objects, or invalidate it. Failures are
 * {@link BackendException}s: of kind BUSY if the disks or the metadata store do not take something now. Thread-safe;
 * never blocks.
 */
public final class ScratchStore {
    private static final Logger log = LoggerFactory.getLogger(ScratchStore.class);

    /** Stripes of keys; writes of one stripe are put in place one after another. */
    private static final int STRIPES = 1024;

    /** The steps that may wait for the metadata store at a time, so that they never fill the queue of others. */
    private static final int MOST_STEPS = 256;

    /** Objects with more blocks are looked for on another thread. */
    private static final long FEW_BLOCKS = 1024;

    /** The time for which blocks stay that nobody can find any more, for those who have found them before. */
    private static final long STAY_SECONDS = 10;

    /** The most versions whose blocks stay; those of others leave at once. */
    private static final int MOST_STAYING = 10_000;

    private final BlockStore store;
    private final MetadataCache metadata;
    private final FillManager fills;
    private final VersionFillSourceFactory versions;
    private final ObjectFetcher fetcher;
    private final BlockLocator locator;
    private final CachedRangeScanner scanner;
    private final List<FairSemaphore> stripes =
            IntStream.range(0, STRIPES).mapToObj(stripe -> new FairSemaphore(1)).toList();
    private final FairSemaphore steps = new FairSemaphore(MOST_STEPS);
    private final AtomicInteger staying = new AtomicInteger();
    private final AtomicBoolean isRemoving = new AtomicBoolean();

    ScratchStore(
            BlockStore store,
            MetadataCache metadata,
            FillManager fills,
            VersionFillSourceFactory versions,
            ObjectFetcher fetcher,
            BlockLocator locator,
            CachedRangeScanner scanner) {
        this.store = store;
        this.metadata = metadata;
        this.fills = fills;
        this.versions = versions;
        this.fetcher = fetcher;
        this.locator = locator;
        this.scanner = scanner;
    }

    /**
     * Returns the metadata of an object of which all blocks can be found; empty if there is none. Known at once if it
     * is in memory and the object has few blocks.
     */
    public Mono<ObjectMetadata> find(ObjectId id) {
        Mono<ObjectMetadata> found = metadata.findOrFail(id);
        @Nullable ObjectMetadata known = ImmediateMono.valueOf(found);
        if (known != null && known.blocks() <= FEW_BLOCKS) {
            return isWhole(known) ? found : Mono.empty();
        }
        return found.filterWhen(this::isWholeSoon).onErrorMap(IOException.class, ScratchStore::unavailable);
    }

    /** Returns the source of an object's bytes, for its readers: what is missing of them has just been evicted. */
    public static ObjectSource source(ObjectHead head, Party party) {
        return new UnfetchableSource(
                head,
                party,
                () -> new BackendException(
                        FailureKind.BUSY, "a part of the object has just left the cache: try again"));
    }

    /**
     * Writes the bytes of an object to disks. They are not found before {@link #publish}, of which each success must be
     * followed.
     *
     * @param head with a tag that no other content has, and the number of bytes
     * @param writtenAt the time of the write, in milliseconds since 1970
     * @param party the one whose turn it is when memory is free
     * @param body owned by this; it may fail, and then nothing is written
     */
    public Mono<ObjectMetadata> write(ObjectId id, ObjectHead head, long writtenAt, Party party, Flux<ByteBuf> body) {
        ObjectMetadata described = fetcher.describe(id, head, writtenAt);
        return fills.write(versions.create(described, source(head, party)), body)
                .then(Mono.just(described));
    }

    /**
     * Puts what was written in the place of what is there. Readers get the one or the other, and the new one once this
     * completes. If it fails, what was written is dropped. Continues if cancelled.
     *
     * @param check throws if the object that is there, if any, forbids it
     */
    public Mono<Void> publish(ObjectMetadata written, Consumer<Optional<ObjectMetadata>> check) {
        return UncancellableMono.of(
                inTurn(written.id(), check, before -> publish(written, before)).doOnError(failure -> drop(written)));
    }

    private Mono<Void> publish(ObjectMetadata written, Optional<ObjectMetadata> before) {
        if (!isWhole(written)) {
            return Mono.error(new BackendException(
                    FailureKind.BUSY,
                    "%s does not fit into the quota of its bucket, or its disk has failed"
                            .formatted(written.id().object())));
        }
        return metadata.keep(written).doOnSuccess(done -> before.ifPresent(this::leave));
    }

    /**
     * Removes an object, if it is there. Continues if cancelled.
     *
     * @param check throws if the object that is there, if any, forbids it
     */
    public Mono<Void> remove(ObjectId id, Consumer<Optional<ObjectMetadata>> check) {
        return UncancellableMono.of(
                inTurn(id, check, before -> before.map(this::discard).orElse(Mono.empty())));
    }

    /** Removes this version of an object, if it is there still. Continues if cancelled. */
    public Mono<Void> remove(ObjectMetadata version) {
        return UncancellableMono.of(inTurn(
                version.id(),
                there -> {},
                before -> before.filter(there -> there.version().equals(version.version()))
                        .map(this::discard)
                        .orElse(Mono.empty())));
    }

    /**
     * Removes versions in the background, one after another, so that they never keep writes waiting. While it removes
     * others it leaves these: whoever meets them again calls it again.
     *
     * @param versions few, as they stay in memory until they are removed
     */
    public void removeSoon(List<ObjectMetadata> versions) {
        if (versions.isEmpty() || !isRemoving.compareAndSet(false, true)) {
            return;
        }
        Flux.fromIterable(versions)
                .concatMap(version -> remove(version))
                .doFinally(end -> isRemoving.set(false))
                .subscribe(removed -> {}, failure -> log.debug("What is beyond its time stays for now", failure));
    }

    private Mono<Void> discard(ObjectMetadata there) {
        return metadata.discard(there.id()).doOnSuccess(done -> leave(there));
    }

    /** Lets go of the blocks of a version that nobody can find any more, and which perhaps nobody could. */
    private void leave(ObjectMetadata old) {
        if (isWhole(old)) {
            dropSoon(old);
        } else {
            drop(old);
        }
    }

    /**
     * Lists some of the objects below a prefix, in key order, each with its versions, and also those that have lost
     * blocks.
     *
     * @param after the last one of the page before; empty for the first
     * @param most how many
     */
    public Mono<List<ObjectMetadata>> list(ObjectPrefix below, Optional<ObjectId> after, int most) {
        return metadata.list(below, after, most).onErrorMap(IOException.class, ScratchStore::unavailable);
    }

    /** Returns whether all blocks of an object can be found, and its metadata is not from before a power loss. */
    public boolean isWhole(ObjectMetadata object) {
        return !object.mustRevalidate()
                && (object.size() == 0 || locator.isFullyResident(object, new ByteRange(0, object.size() - 1)));
    }

    /**
     * Returns whether an object will not be found again, whatever is left of it. False as long as blocks of earlier
     * runs are looked for, or a disk is lost or does not respond, since that may come back with its blocks.
     */
    public Mono<Boolean> isBroken(ObjectMetadata object) {
        Mono<Boolean> lacksBlocks = Mono.defer(() -> isWholeSoon(object)).map(isWhole -> !isWhole);
        // Looked for twice: a disk that has hung may have come back before it is asked for.
        return lacksBlocks
                .filter(lacks -> lacks && store.disks().showAll())
                .flatMap(lacks -> lacksBlocks)
                .defaultIfEmpty(false);
    }

    private Mono<Boolean> isWholeSoon(ObjectMetadata object) {
        return object.mustRevalidate() || object.blocks() <= FEW_BLOCKS
                ? Mono.just(isWhole(object))
                // Reads find out themselves if too many ask.
                : scanner.isFullyResident(object, new ByteRange(0, object.size() - 1))
                        .defaultIfEmpty(true);
    }

    /** Checks what is there of an object, and runs a step with it; one at a time for each key. */
    private Mono<Void> inTurn(
            ObjectId id,
            Consumer<Optional<ObjectMetadata>> check,
            Function<Optional<ObjectMetadata>, Mono<Void>> step) {
        int hash = id.hashCode();
        FairSemaphore turns = stripes.get((hash ^ (hash >>> 16)) & (STRIPES - 1));
        Mono<Void> run = Mono.defer(() -> metadata.findOrFail(id))
                .map(Optional::of)
                .defaultIfEmpty(Optional.empty())
                .flatMap(before -> whole(before).doOnNext(check).then(Mono.defer(() -> step.apply(before))))
                .onErrorMap(IOException.class, ScratchStore::unavailable);
        return turns.run(Party.GATEWAY, steps.run(Party.GATEWAY, run));
    }

    /** Returns what is there if all its blocks can be found. */
    private Mono<Optional<ObjectMetadata>> whole(Optional<ObjectMetadata> there) {
        return there.map(object -> isWholeSoon(object).map(isWhole -> there.filter(known -> isWhole)))
                .orElseGet(() -> Mono.just(there));
    }

    private static BackendException unavailable(Throwable failure) {
        return new BackendException(FailureKind.BUSY, String.valueOf(failure.getMessage()), failure);
    }

    private void dropSoon(ObjectMetadata old) {
        if (staying.incrementAndGet() > MOST_STAYING) {
            dropStaying(old);
        } else {
            Schedulers.parallel().schedule(() -> dropStaying(old), STAY_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void dropStaying(ObjectMetadata old) {
        staying.decrementAndGet();
        drop(old);
    }

    private void drop(ObjectMetadata version) {
        for (long block = 0; block < version.blocks(); block++) {
            store.drop(store.hash().of(version.version(), block));
        }
    }
}
