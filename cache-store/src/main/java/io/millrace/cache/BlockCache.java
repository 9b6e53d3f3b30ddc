package io.millrace.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.SelectedHead;
import io.millrace.cache.disk.RecordDraft;
import io.millrace.cache.disk.RecordStore;
import io.millrace.cache.disk.StoredRecord;
import io.millrace.cache.disk.StoredRecord.Front;
import io.millrace.cache.eviction.EvictionPolicy;
import io.millrace.cache.fill.FilledVersion;
import io.millrace.cache.fill.Fills;
import io.millrace.cache.fill.MemoryBudget;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Objects on local disks: heads, which are asked for again when they are old, and blocks of their versions, which never change.
 * It decides nothing about freshness. Safe for use by any number of threads; nothing here blocks but {@link #open},
 * {@link #recover} and {@link #close}.
 */
public final class BlockCache implements AutoCloseable {
    /** Decoded heads in memory, in characters of what they hold. */
    private static final long HEADS_IN_MEMORY = 32 << 20;

    private final int blockSize;
    private final RecordStore store;
    private final HeadCodec codec;
    private final MemoryBudget memory;
    private final Fills fills;
    private final InstantSource clock;
    private final Openings openings = new Openings();
    private final Revalidations revalidations = new Revalidations();
    private final Generations generations = new Generations();
    private final Cache<ObjectId, CachedHead> heads = Caffeine.newBuilder()
            .maximumWeight(HEADS_IN_MEMORY)
            .weigher(BlockCache::weight)
            .build();

    private BlockCache(
            int blockSize, long memoryBytes, RecordStore store, CacheRecorder recorder, InstantSource clock) {
        this.blockSize = blockSize;
        this.store = store;
        this.codec = new HeadCodec(store.hash());
        this.memory = new MemoryBudget(memoryBytes);
        this.fills = new Fills(store, memory, recorder);
        this.clock = clock;
    }

    /**
     * Opens the disks of the settings; blocks.
     *
     * @param remembered a folder that remembers which disks there were
     * @throws IOException if a disk cannot be used; the message says which, why, and what to do
     */
    public static BlockCache open(CacheSettings settings, Path remembered, CacheRecorder recorder, InstantSource clock)
            throws IOException {
        RecordStore store = RecordStore.open(settings, remembered, EvictionPolicy.secondChance(), recorder);
        return new BlockCache(
                (int) settings.blockSize().bytes(), settings.memory().bytes(), store, recorder, clock);
    }

    /** Reads what earlier runs left on the disks; blocks. What is not known yet is a miss. */
    public void recover() {
        store.recover();
    }

    /** Numbers for meters. */
    public CacheState state() {
        return new CacheState(
                store.used(), store.capacity(), store.records(), store.indexMemory(), fills.size(), memory.used());
    }

    /** What is known of an object, fresh or not; empty if nothing is. */
    public Mono<CachedHead> find(ObjectId id) {
        CachedHead known = heads.getIfPresent(id);
        if (known != null) {
            return Mono.just(known);
        }
        return Mono.defer(() -> {
            long generation = generations.of(id);
            StoredRecord record = store.find(codec.head(id));
            return record == null
                    ? Mono.empty()
                    : Mono.fromCallable(() -> read(record, id))
                            .subscribeOn(Schedulers.fromExecutor(record.readers()))
                            .doOnNext(head -> remember(head, generation));
        });
    }

    /** Whether an object's bytes are all on disk. */
    public boolean holds(CachedHead head, ByteRange range) {
        for (long block = range.first() / head.blockSize(); block <= range.last() / head.blockSize(); block++) {
            if (!store.contains(store.hash().of(head.version(), block))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Asks the backend for an object of which nothing is known; its answer is the first fill. Those who ask at the same time
     * share one request.
     */
    public Mono<Opened> open(ObjectId id, Selection wanted, ObjectSource source) {
        return Mono.defer(() -> {
            long generation = generations.of(id);
            long askedAt = clock.millis();
            Mono<ObjectContent> request = source.open(Openings.aligned(wanted, blockSize));
            return openings.open(
                    id,
                    () -> Optional.ofNullable(heads.getIfPresent(id)),
                    request,
                    content -> keep(id, content, source, generation, askedAt));
        });
    }

    /**
     * Asks the backend what an object is now, and takes that for known.
     *
     * @param strict whether the question must be sent after this call; else one that is under way will do
     */
    public Mono<CachedHead> revalidate(ObjectId id, boolean strict, ObjectSource source) {
        return revalidations.ask(id, strict, () -> askHead(id, source));
    }

    /**
     * Bytes of the version that {@code head} tells of: from the disks, from what is under way, from the backend. One
     * subscriber, who owns the pieces: {@link io.netty.buffer.ByteBuf}s and {@link io.netty.channel.FileRegion}s. Fails with
     * {@link BackendException.Kind#VERSION_CHANGED} if the backend has another version now and not all is here; what was
     * known of the object is forgotten then.
     */
    public Flux<ReferenceCounted> read(CachedHead head, ByteRange range, ObjectSource source) {
        return fills.read(filled(head, source, 0), range);
    }

    /** Forgets what is known of an object; it is asked for when it is wanted again. Its blocks stay, under their version. */
    public void invalidate(ObjectId id) {
        generations.raise(id);
        CachedHead known = heads.asMap().remove(id);
        Fingerprint key = codec.head(id);
        // What is in memory may be on its way to a disk.
        if (known != null || store.contains(key)) {
            ByteBuffer identity = ByteBuffer.wrap(codec.identity(id));
            store.write(
                    new RecordDraft(
                            Kind.TOMBSTONE, store.nextSequence(), key, Fingerprint.NONE, 0, identity, List.of()),
                    stored -> {});
        }
    }

    /**
     * Somebody else's word on what an object is: if something else is known of it, that is asked for before it is used again.
     * At once for a head in memory, soon for one that is on a disk only.
     */
    public void told(ObjectId id, Optional<ETag> tag, long size) {
        if (heads.getIfPresent(id) != null || store.contains(codec.head(id))) {
            find(id).filter(known ->
                            known.size() != size || !known.head().eTag().equals(tag))
                    .subscribe(other -> doubt(id), failure -> doubt(id));
        }
    }

    /** Takes what is known of an object for doubtful: it is asked for before it is used. */
    public void doubt(ObjectId id) {
        heads.asMap().computeIfPresent(id, (key, head) -> head.doubted());
    }

    @Override
    public void close() {
        store.close();
    }

    private @Nullable CachedHead read(StoredRecord record, ObjectId id) throws IOException {
        try (record) {
            Front front = record.readFront();
            if (front == null) {
                return null;
            }
            Optional<CachedHead> head = codec.decode(id, front.headPart(), front.doubtful());
            if (head.isEmpty()) {
                record.drop();
            }
            return head.orElse(null);
        }
    }

    private Mono<CachedHead> askHead(ObjectId id, ObjectSource source) {
        return Mono.defer(() -> {
            long generation = generations.of(id);
            long askedAt = clock.millis();
            return source.head()
                    .map(SelectedHead::head)
                    .map(head -> cached(id, head, askedAt, true))
                    .doOnNext(head -> publish(head, generation))
                    .doOnError(BackendException.class, failure -> forgetIfGone(id, failure));
        });
    }

    private void forgetIfGone(ObjectId id, BackendException failure) {
        switch (failure.kind()) {
            case NO_SUCH_KEY, NO_SUCH_VERSION, NO_SUCH_BUCKET, VERSION_CHANGED -> invalidate(id);
            default -> {}
        }
    }

    /** Makes an answer what is known, and its body the first fill; empty if it cannot be kept, and then it stays as it is. */
    private Optional<CachedHead> keep(
            ObjectId id, ObjectContent content, ObjectSource source, long generation, long askedAt) {
        ObjectHead told = content.head();
        if (!told.version().canBePinned()) {
            return Optional.empty();
        }
        CachedHead head = cached(id, told, askedAt, content.range().isEmpty());
        // Taken before the look at the generation, so that whatever makes this head old has a higher one.
        long sequence = store.nextSequence();
        boolean current = generations.of(id) == generation;
        boolean together = current && head.blocks() == 1;
        boolean begun = head.size() > 0 && begin(filled(head, source, together ? sequence : 0), content);
        if (!begun) {
            content.discard();
        }
        // Only now may others know of it: who came before the fill would begin another.
        if (current) {
            heads.put(id, head);
            if (!begun || !together) {
                write(head, sequence);
            }
        }
        return Optional.of(head);
    }

    private boolean begin(FilledVersion version, ObjectContent content) {
        ByteRange brought =
                content.range().orElseGet(() -> new ByteRange(0, content.head().size() - 1));
        return fills.begin(version, content.body(), brought);
    }

    /** A head that was asked for by itself. It is written if it tells something new. */
    private void publish(CachedHead head, long generation) {
        long sequence = store.nextSequence();
        if (generations.of(head.id()) != generation || !head.head().version().canBePinned()) {
            return;
        }
        CachedHead before = heads.getIfPresent(head.id());
        heads.put(head.id(), head);
        if (before == null || before.doubtful() || !before.head().equals(head.head())) {
            write(head, sequence);
        }
    }

    private void remember(CachedHead head, long generation) {
        if (generations.of(head.id()) == generation) {
            heads.asMap().putIfAbsent(head.id(), head);
        }
    }

    private void write(CachedHead head, long sequence) {
        ByteBuffer headPart = ByteBuffer.wrap(codec.encode(head));
        store.write(
                new RecordDraft(Kind.HEAD, sequence, codec.head(head.id()), head.version(), 0, headPart, List.of()),
                stored -> {});
    }

    private CachedHead cached(ObjectId id, ObjectHead head, long askedAt, boolean complete) {
        return new CachedHead(
                id, head, askedAt, complete, false, codec.version(id, head.version(), blockSize), blockSize);
    }

    /**
     * A version to be filled and read.
     *
     * @param together sequence number of the record that holds the head together with its one block; 0 if there is none
     */
    private FilledVersion filled(CachedHead head, ObjectSource source, long together) {
        return new FilledVersion(
                store.hash(),
                head.version(),
                head.size(),
                head.blockSize(),
                range -> source.fetch(head.head().version(), range)
                        .doOnError(BackendException.class, failure -> forgetIfGone(head.id(), failure)),
                (key, number, body) -> together != 0
                        ? new RecordDraft(
                                Kind.OBJECT,
                                together,
                                codec.head(head.id()),
                                head.version(),
                                0,
                                ByteBuffer.wrap(codec.encode(head)),
                                body)
                        : new RecordDraft(
                                Kind.BLOCK,
                                store.nextSequence(),
                                key,
                                head.version(),
                                number,
                                ByteBuffer.wrap(codec.identity(head.id())),
                                body));
    }

    private static int weight(ObjectId id, CachedHead head) {
        int weight = 300 + Objects.requireNonNull(id).object().key().value().length();
        for (var field : head.head().headers().fields()) {
            weight += 60 + field.name().length() + field.value().length();
        }
        return weight;
    }
}
