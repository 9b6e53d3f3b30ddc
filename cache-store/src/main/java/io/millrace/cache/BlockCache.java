package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.cache.disk.BlockStore;
import io.millrace.cache.disk.io.DiskUnavailableException;
import io.millrace.cache.eviction.EvictionPolicy;
import io.millrace.cache.eviction.ShadowCaches;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.cache.fill.CacheableVersion;
import io.millrace.cache.fill.FillManager;
import io.millrace.cache.fill.FillManager.Origin;
import io.millrace.cache.fill.MemoryBudget;
import io.millrace.cache.fill.PrefetchProgress;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.metadata.MetadataCache;
import io.millrace.cache.metadata.MetadataFolders;
import io.millrace.cache.metadata.MetadataObserver;
import io.millrace.cache.metadata.MetadataStats;
import io.millrace.cache.metadata.MetadataUnavailableException;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectIdCodec;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.metadata.StaleEpoch;
import io.millrace.cache.metadata.VersionFingerprints;
import io.millrace.cache.monitor.CacheRecorder;
import io.millrace.cache.monitor.DiskState;
import io.millrace.cache.residency.GroupDefinition;
import io.millrace.cache.residency.GroupResidency;
import io.millrace.cache.residency.ResidencyGroups;
import io.millrace.cache.scrub.DiskScrubStatus;
import io.millrace.cache.scrub.Scrubber;
import io.millrace.cache.settings.CacheSettings;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Objects on local disks: heads, which are asked for again when they are old, and blocks of their versions, which never change.
 * It decides nothing about freshness. Safe for use by any number of threads; nothing here blocks but {@link #open},
 * {@link #recover} and {@link #close}.
 */
public final class BlockCache implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(BlockCache.class);

    /** The {@link #fence} of an object that is being written. */
    public static final long BEING_WRITTEN = -1;

    /** Key of a subscriber's context: the {@link java.util.concurrent.Executor} that the pieces of a body shall come on. */
    public static final String EXECUTOR = FillManager.EXECUTOR;

    /** Sizes as multiples of the cache's own, for {@link #hitRatioAt}. */
    public static final List<Double> GHOST_SIZES = ShadowCaches.SIZES;

    /** An object up to this size comes in the one request that opens it. */
    public static final long WHOLE_BYTES = FillManager.WHOLE_BYTES;

    /** So much comes at most in a request that opens a range. */
    public static final long RANGE_BYTES = ColdObjectOpener.MAX_BYTES;

    /** A write that was never answered may still happen: longer than any server is known to sit on one. */
    public static final Duration IN_DOUBT = Duration.ofMinutes(5);

    /** Metadata that a scan reads at a time. */
    private static final int SCAN_PAGE = 500;

    private final int blockSize;
    private final BlockStore store;
    private final MetadataCache metadata;
    private final MetadataObserver observer;
    private final VersionFingerprints fingerprints;
    private final MemoryBudget memory;
    private final FillManager fills;
    private final InstantSource clock;
    private final CacheableVersionFactory versions;
    private final BlockLocator whereabouts;
    private final ResidencyScanner looks;
    private final ColdObjectOpener openings = new ColdObjectOpener();
    private final Scrubber scrubber;
    private final Disposable.Swap slowLooks = Disposables.swap();
    private final Revalidator revalidations = new Revalidator();

    /** @param store one that is open, which is the cache's from now on, as is what is known of objects */
    BlockCache(
            CacheSettings settings,
            BlockStore store,
            MetadataCache metadata,
            CacheRecorder recorder,
            InstantSource clock) {
        this.blockSize = (int) settings.blockSize().bytes();
        this.store = store;
        this.scrubber = new Scrubber(store, settings.scrub(), recorder, clock);
        this.fingerprints = new VersionFingerprints(store.hash());
        this.memory = new MemoryBudget(settings.memory().bytes());
        this.fills = new FillManager(store, memory, recorder);
        this.clock = clock;
        this.versions = new CacheableVersionFactory(store, this::forgetIfGone);
        this.whereabouts = new BlockLocator(store, fills);
        this.looks = new ResidencyScanner(whereabouts);
        this.metadata = metadata;
        this.observer = new MetadataObserver(metadata);
    }

    /**
     * Opens the disks of the settings; blocks.
     *
     * @param remembered a folder that remembers which disks there were
     * @throws IOException if a disk cannot be used; the message says which, why, and what to do
     */
    public static BlockCache open(CacheSettings settings, Path remembered, CacheRecorder recorder, InstantSource clock)
            throws IOException {
        return open(settings, List.of(), remembered, recorder, clock);
    }

    /**
     * The same, which counts what is cached of some objects.
     *
     * @param counted each prefix of a bucket once, {@link ResidencyGroups#MOST} at most
     */
    public static BlockCache open(
            CacheSettings settings,
            List<GroupDefinition> counted,
            Path remembered,
            CacheRecorder recorder,
            InstantSource clock)
            throws IOException {
        EvictionPolicy policy = EvictionPolicy.frequency(settings.frequencyMemory());
        BlockStore store = BlockStore.open(
                settings, remembered, policy, hash -> new ResidencyGroups(counted, hash, policy), recorder);
        try {
            MetadataCache metadata = MetadataCache.open(
                    settings.metadata(),
                    MetadataFolders.of(settings.metadata(), remembered),
                    new VersionFingerprints(store.hash()),
                    new StaleEpoch(StaleEpoch.first(store.run()), store.staleAtStart(), store.epochRecords()),
                    store.run(),
                    known -> BlockLocator.isAnyResident(store, known));
            return new BlockCache(settings, store, metadata, recorder, clock);
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /** Reads what earlier runs left on the disks; blocks until that is done or this is closed. What is not known yet is a miss. */
    public void recover() {
        store.recover();
        scrubber.start();
        // Behind a close nothing is scheduled any more.
        boolean unused = slowLooks.update(Schedulers.parallel()
                .schedulePeriodically(new SlowDiskMonitor(this::disks, this::slowness)::check, 1, 1, TimeUnit.MINUTES));
    }

    /** Numbers for meters. */
    public CacheStats state() {
        return new CacheStats(
                store.used(),
                store.capacity(),
                store.room(),
                store.records(),
                store.indexMemory(),
                fills.size(),
                memory.used());
    }

    /**
     * What part of the late reads of blocks would have been hits if the cache had one of the {@link #GHOST_SIZES}; empty if there were too
     * few reads yet. An estimate out of a sample of the blocks.
     *
     * @param size its place in the list
     */
    public OptionalDouble hitRatioAt(int size) {
        return store.hitRatioAt(size);
    }

    /** From now on these objects stay when others go for want of room, as many as half of each disk holds. */
    public void keep(PinnedObjects objects) {
        if (objects.isEmpty()) {
            store.keepNothing();
        } else {
            store.keep(identity ->
                    ObjectIdCodec.decode(identity).filter(objects::isPinned).isPresent());
        }
    }

    /** What is cached of the objects that are counted, in the order in which they were named. */
    public List<GroupResidency> counted() {
        return store.groups();
    }

    /** The same of one of them, by its place. */
    public GroupResidency counted(int at) {
        return store.group(at);
    }

    /** Whether all that earlier runs left is known; until then what is not known yet is a miss. */
    public boolean isRecovered() {
        return store.isRecovered();
    }

    /** The disks one by one, in the order of the settings. */
    public List<DiskState> disks() {
        return store.states();
    }

    /**
     * How many times as long as a backend for the same bytes each disk took in the last minutes, of reads that waited for it; 0
     * where that cannot be told. Many more than 1 means that what the disk holds had better been asked of the backend.
     */
    public List<Double> slowness() {
        return store.paces().stream()
                .map(disk -> disk.ratioTo(fills.fetchLatency()))
                .toList();
    }

    /** How the look at what lies on each of them gets on, in the same order. */
    public List<DiskScrubStatus> scrubs() {
        return scrubber.states();
    }

    /**
     * All of a disk is looked at now.
     *
     * @param disk its number, from 0
     * @return whether it will be: not where the settings have no scrubbing
     */
    public boolean scrub(int disk) {
        return scrubber.now(disk);
    }

    /**
     * Takes a disk back that was lost and is there again; blocks.
     *
     * @param disk its number, from 0
     * @throws IOException if it cannot be used; the message says why, and what to do
     */
    public void takeBack(int disk) throws IOException {
        store.takeBack(disk);
    }

    /** What is known of an object, fresh or not; empty if nothing is. */
    public Mono<ObjectMetadata> find(ObjectId id) {
        return metadata.find(id);
    }

    /** Whether an object's bytes are all on disk. Looks at each of their blocks: a million take some tenths of a second. */
    public boolean holds(ObjectMetadata head, ByteRange range) {
        return whereabouts.isFullyResident(head, range);
    }

    /**
     * The same: of few blocks at once, of many on another thread, some of them at a time. Empty if {@value ResidencyScanner#MAX_CONCURRENT} such looks
     * are under way. Whoever leaves ends it.
     */
    public Mono<Boolean> findAll(ObjectMetadata head, ByteRange range) {
        return looks.isFullyResident(head, range);
    }

    /** Bytes of an object that are on a disk. Looks at each of its blocks too. */
    public long resident(ObjectMetadata head) {
        return whereabouts.residentBytes(head, 0, head.blocks());
    }

    /** The same as {@link #findAll} does it, of the first {@value ResidencyScanner#MAX_COUNTED_BLOCKS} blocks: no disks hold more. */
    public Mono<Long> findResident(ObjectMetadata head) {
        return looks.countResidentBytes(head);
    }

    /**
     * The objects below a prefix of which something is stored, in the order of their keys. Reads no more than is asked for. Fails with a
     * {@link MetadataUnavailableException} while the metadata store cannot be read.
     *
     * @param after the object to go on after; empty for the first
     */
    public Flux<ObjectMetadata> scan(ObjectPrefix below, Optional<ObjectId> after) {
        return page(below, after)
                .expand(page -> page.size() < SCAN_PAGE
                        ? Mono.empty()
                        : page(below, Optional.of(page.get(page.size() - 1).id())))
                .concatMapIterable(page -> page, 1);
    }

    private Mono<List<ObjectMetadata>> page(ObjectPrefix below, Optional<ObjectId> after) {
        return metadata.list(below, after, SCAN_PAGE);
    }

    /** How much of a {@link #scan} lies before an object, 0 to 1. */
    public double scanned(ObjectPrefix below, ObjectId position) {
        return metadata.listed(below, position);
    }

    /**
     * The SHA-256 of a block that is on a disk, of the bytes as they lie there, or that they are damaged or cannot be read, and then it
     * is dropped; empty if it is not there. Fails with a {@link DiskUnavailableException} if its disk stands still, or does so already.
     *
     * @param block from 0
     */
    public Mono<BlockHashResult> digest(ObjectMetadata head, long block) {
        return new StoredBlockHasher(store).hash(store.hash().of(head.version(), block));
    }

    /** Takes one block out of the cache, which was found to be wrong. */
    public void drop(ObjectMetadata head, long block) {
        store.drop(store.hash().of(head.version(), block));
    }

    /** Whether a block is on a disk, be it one that cannot be read now. */
    public boolean holdsBlock(ObjectMetadata head, long block) {
        Fingerprint key = store.hash().of(head.version(), block);
        return store.contains(key) || store.outOfReach(key).isPresent();
    }

    /**
     * Takes an object out of the cache: what is known of it, and its blocks.
     *
     * @return bytes of blocks that were there
     */
    public long evict(ObjectMetadata head) {
        invalidate(head.id());
        long bytes = 0;
        for (long block = 0; block < head.blocks(); block++) {
            bytes += store.drop(store.hash().of(head.version(), block));
        }
        return bytes;
    }

    /** Where an object's bytes are, as far as the first blocks of the range tell: not all of a large one are looked at. */
    public BlockAvailability presence(ObjectMetadata head, ByteRange range) {
        return whereabouts.locate(head, range);
    }

    /**
     * Asks the backend for an object of which nothing is known; its answer is the first fill. Those who ask at the same time
     * share one request.
     */
    public Mono<OpenResult> open(ObjectId id, ByteSelection wanted, ObjectSource source) {
        return open(id, wanted, source, Origin.FETCHED);
    }

    /** The same for somebody who works ahead of readers, behind all that those wait for. */
    public Mono<OpenResult> openAhead(ObjectId id, ByteSelection wanted, ObjectSource source) {
        return open(id, wanted, source, Origin.PREFETCHED);
    }

    private Mono<OpenResult> open(ObjectId id, ByteSelection wanted, ObjectSource source, Origin origin) {
        return Mono.defer(() -> {
            long epoch = metadata.writeEpoch(id);
            long askedAt = clock.millis();
            long asked = System.nanoTime();
            Mono<ObjectContent> request = source.open(ColdObjectOpener.aligned(wanted, blockSize));
            return openings.open(
                    id,
                    () -> metadata.inMemory(id).filter(known -> !known.mustRevalidate()),
                    request,
                    content -> keep(id, content, source, epoch, askedAt, origin, asked));
        });
    }

    /**
     * Asks the backend what an object is now, and takes that for known.
     *
     * @param strict whether the question must be sent after this call; else one that is under way will do
     */
    public Mono<ObjectMetadata> revalidate(ObjectId id, boolean strict, ObjectSource source) {
        return revalidations.ask(id, strict, () -> askHead(id, source));
    }

    /**
     * Bytes of the version that {@code head} tells of: from the disks, from what is under way, from the backend. One
     * subscriber, who owns the pieces: {@link io.netty.buffer.ByteBuf}s and {@link io.netty.channel.FileRegion}s. Fails with
     * {@link BackendException.FailureKind#VERSION_CHANGED} if the backend has another version now and not all is here; what was
     * known of the object is forgotten then.
     */
    public Flux<ReferenceCounted> read(ObjectMetadata head, ByteRange range, ObjectSource source) {
        return fills.read(versions.create(head, source), range);
    }

    /**
     * Brings what is not here of these bytes, behind all that readers wait for; reads nothing that is. Ends with the bytes of the
     * blocks that came meanwhile, whoever they came for. Fails as {@link #read}, and if no disk takes a block.
     */
    public Mono<Long> warm(ObjectMetadata head, ByteRange range, ObjectSource source, PrefetchProgress progress) {
        return fills.prefetch(versions.create(head, source), range, progress);
    }

    /**
     * How fast {@link #warm} and {@link #openAhead} may be, by the memory they have.
     *
     * @param share of what they may have, 0 to 1; with 0 one block comes at a time
     */
    public void slowAhead(double share) {
        memory.throttlePrefetch(share);
    }

    /** Forgets what is known of an object; it is asked for when it is wanted again. Its blocks stay, under their version. */
    public void invalidate(ObjectId id) {
        metadata.invalidate(id);
    }

    /**
     * Invalidates all objects below a prefix: each is asked for before it is used. Their blocks stay, under their versions. Whoever asks
     * after the end of this never gets an answer to an earlier question; answers of this bucket that are on their way are used but not
     * published. It holds through crashes and power losses, and on disks that are absent. Fails with an {@link IOException} if it could not
     * be made durable: it holds until the process ends. Goes on if it is cancelled.
     */
    public Mono<Void> invalidate(ObjectPrefix below) {
        return metadata.invalidate(below).doOnTerminate(() -> {
            openings.forget(below);
            revalidations.forget(below);
        });
    }

    /**
     * Announces a write of an object, which must not be sent before this completes, and not at all if it fails with an
     * {@link IOException}: what is known of it is deleted durably by then. Until {@link #endWrite}, and only for this object, answers of
     * the backend are used but not published. Waits for a metadata store that hangs for some seconds at most. Each subscription, also one
     * that is cancelled, is to be ended by one {@link #endWrite}.
     */
    public Mono<Void> beginWrite(ObjectId id) {
        return metadata.beginWrite(id);
    }

    /**
     * Ends what {@link #beginWrite} began. Whoever asks from now on never gets an answer to an earlier question.
     *
     * @param answered whether the backend said what became of the write; if not, it may still happen, and nothing of the object is
     *     published for another {@link #IN_DOUBT}
     */
    public void endWrite(ObjectId id, boolean answered) {
        if (!answered) {
            Schedulers.parallel().schedule(() -> endWrite(id, true), IN_DOUBT.toMillis(), TimeUnit.MILLISECONDS);
        }
        metadata.overtake(id);
        openings.forget(id);
        revalidations.forget(id);
        if (answered) {
            metadata.endWrite(id);
        }
    }

    /**
     * Makes what was just written known: asks what the object is now, and if it is that, its bytes become blocks without being
     * fetched. Readers who come meanwhile wait for that answer.
     *
     * @param written the tag the backend gave it
     * @param body all its bytes, which are the cache's from now on: the result is to be subscribed to, once. It goes on if it
     *     is cancelled
     */
    public Mono<Void> fill(ObjectId id, ETag written, List<ByteBuf> body, ObjectSource source) {
        BufferedBody held = new BufferedBody(body);
        return Mono.create(sink -> {
            long epoch = metadata.writeEpoch(id);
            long askedAt = clock.millis();
            Mono<ObjectContent> request = source.head().flatMap(now -> content(now.head(), written, held, source));
            openings.open(
                            id,
                            Optional::empty,
                            request,
                            content -> keep(id, content, source, epoch, askedAt, Origin.WRITTEN, 0))
                    .subscribe(
                            opened -> {
                                settle(opened, held);
                                sink.success();
                            },
                            failure -> {
                                held.release();
                                sink.error(failure);
                            });
        });
    }

    /** Taken before a question is sent, it tells {@link #holds(ObjectId, long)} whether the answer may be remembered. */
    public long fence(ObjectId id) {
        return metadata.isBeingWritten(id) ? BEING_WRITTEN : metadata.writeEpoch(id);
    }

    /** Whether nothing has been written since a {@link #fence}, so that an answer may be remembered which came since then. */
    public boolean holds(ObjectId id, long fence) {
        return fence != BEING_WRITTEN && fence(id) == fence;
    }

    /** A listing shows an object: if something else is known of it, that is forgotten, at once if it is in memory, soon if not. */
    public void observe(ObjectId id, Optional<ETag> tag, long size) {
        observer.observe(id, tag, size);
    }

    /** Numbers of the metadata store. */
    public MetadataStats metadataState() {
        return metadata.state();
    }

    @Override
    public void close() {
        scrubber.close();
        slowLooks.dispose();
        looks.close();
        try {
            metadata.close();
            store.stopped();
        } catch (IOException e) {
            log.warn(
                    "The metadata store is not closed in order, so the next start revalidates all metadata once: {}",
                    e.toString());
        }
        store.close();
    }

    private Mono<ObjectContent> content(ObjectHead now, ETag written, BufferedBody body, ObjectSource source) {
        boolean same = now.eTag().filter(written::matchesStrongly).isPresent() && now.size() == body.size();
        // What waits for memory here is counted nowhere.
        if (same && !memory.isShort()) {
            return Mono.just(new ObjectContent(now, Optional.empty(), body.pieces()));
        }
        // Somebody else has written since, or there is no room for what was.
        body.release();
        return source.open(new ByteSelection.WholeObject());
    }

    /** Whoever else's answer it was, the bytes of this write are not wanted for it. */
    private static void settle(OpenResult opened, BufferedBody held) {
        boolean taken = opened instanceof OpenResult.Cached known && known.isLeader();
        if (!taken) {
            held.release();
        }
        if (opened instanceof OpenResult.Uncacheable passed) {
            passed.content().discard();
        }
    }

    private Mono<ObjectMetadata> askHead(ObjectId id, ObjectSource source) {
        return Mono.defer(() -> {
            long epoch = metadata.writeEpoch(id);
            long askedAt = clock.millis();
            return source.head()
                    .map(HeadResult::head)
                    .map(head -> cached(id, head, askedAt, true))
                    .doOnNext(head -> publish(head, epoch))
                    .doOnError(BackendException.class, failure -> forgetIfGone(id, failure));
        });
    }

    /** Makes an answer what is known, and its body the first fill; empty if it cannot be kept, and then it stays as it is. */
    private Optional<ObjectMetadata> keep(
            ObjectId id,
            ObjectContent content,
            ObjectSource source,
            long epoch,
            long askedAt,
            Origin origin,
            long asked) {
        ObjectHead told = content.head();
        if (!told.version().hasStrongValidator() || !source.isCacheable(told.size())) {
            return Optional.empty();
        }
        ObjectMetadata head = cached(id, told, askedAt, content.range().isEmpty());
        begin(versions.create(head, source), content, origin, asked);
        // Only now may others know of it: who came before the fill would begin another.
        boolean unused = metadata.publish(head, epoch);
        return Optional.of(head);
    }

    private void publish(ObjectMetadata head, long epoch) {
        if (head.head().version().hasStrongValidator()) {
            boolean unused = metadata.publish(head, epoch);
        }
    }

    private void forgetIfGone(ObjectId id, BackendException failure) {
        switch (failure.kind()) {
            case NO_SUCH_KEY, NO_SUCH_VERSION, NO_SUCH_BUCKET, VERSION_CHANGED -> metadata.invalidateMissing(id);
            default -> {}
        }
    }

    private void begin(CacheableVersion version, ObjectContent content, Origin origin, long asked) {
        boolean begun = false;
        if (version.size() > 0) {
            ByteRange brought = content.range().orElseGet(() -> new ByteRange(0, version.size() - 1));
            begun = fills.begin(version, content.body(), brought, origin, asked);
        }
        if (!begun) {
            content.discard();
        }
    }

    private ObjectMetadata cached(ObjectId id, ObjectHead head, long askedAt, boolean complete) {
        return new ObjectMetadata(
                id, head, askedAt, complete, false, fingerprints.of(id, head.version(), blockSize), blockSize);
    }
}
