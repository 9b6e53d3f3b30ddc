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
import io.millrace.cache.fill.FilledVersion.Records;
import io.millrace.cache.fill.Fills;
import io.millrace.cache.fill.Fills.Origin;
import io.millrace.cache.fill.MemoryBudget;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Objects on local disks: heads, which are asked for again when they are old, and blocks of their versions, which never change.
 * It decides nothing about freshness. Safe for use by any number of threads; nothing here blocks but {@link #open},
 * {@link #recover} and {@link #close}.
 */
public final class BlockCache implements AutoCloseable {
    /** Key of a subscriber's context: the {@link java.util.concurrent.Executor} that the pieces of a body shall come on. */
    public static final String EXECUTOR = Fills.EXECUTOR;

    private static final Logger log = LoggerFactory.getLogger(BlockCache.class);

    /** A write that was never answered may still happen: longer than any server is known to sit on one. */
    static final Duration IN_DOUBT = Duration.ofMinutes(5);

    /** So long a write waits for a disk that hangs, and once more for the word that the disk is not to be trusted. */
    private static final Duration HUNG = Duration.ofSeconds(1);

    /** Decoded heads in memory, in characters of what they hold. */
    private static final long HEADS_IN_MEMORY = 32 << 20;

    /** Blocks that {@link #presence} looks at, which takes some ten microseconds. */
    private static final long LOOKED_AT = 128;

    private final int blockSize;
    private final RecordStore store;
    private final HeadCodec codec;
    private final MemoryBudget memory;
    private final Fills fills;
    private final InstantSource clock;
    private final Openings openings = new Openings();
    private final Revalidations revalidations = new Revalidations();
    private final Generations generations = new Generations();
    private final Counted writes = new Counted();

    /** Objects whose head comes to a disk together with their one block, when that is here. */
    private final Counted onTheirWay = new Counted();

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
                store.used(),
                store.capacity(),
                store.room(),
                store.records(),
                store.indexMemory(),
                fills.size(),
                memory.used());
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
            return record == null ? Mono.empty() : read(record, id).doOnNext(head -> remember(head, generation));
        });
    }

    /** Whether an object's bytes are all on disk. */
    public boolean holds(CachedHead head, ByteRange range) {
        return look(head, range, Long.MAX_VALUE, key -> store.contains(key) ? Presence.HERE : Presence.ABSENT)
                == Presence.HERE;
    }

    /** Where an object's bytes are, as far as the first blocks of the range tell: not all of a large one are looked at. */
    public Presence presence(CachedHead head, ByteRange range) {
        return look(head, range, LOOKED_AT, this::presence);
    }

    /** In memory first: what leaves it has come to a disk before. */
    private Presence presence(Fingerprint block) {
        Presence inMemory = fills.presence(block);
        return inMemory == Presence.ABSENT && store.contains(block) ? Presence.HERE : inMemory;
    }

    private Presence look(CachedHead head, ByteRange range, long most, Function<Fingerprint, Presence> where) {
        long first = range.first() / head.blockSize();
        long last = Math.min(range.last() / head.blockSize(), first + most - 1);
        Presence all = Presence.HERE;
        for (long block = first; block <= last && all != Presence.ABSENT; block++) {
            Presence one = where.apply(store.hash().of(head.version(), block));
            all = one == Presence.HERE ? all : one;
        }
        return all;
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
                    content -> keep(id, content, source, generation, askedAt, Origin.FETCHED));
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
        return fills.read(filled(head, source), range);
    }

    /** Forgets what is known of an object; it is asked for when it is wanted again. Its blocks stay, under their version. */
    public void invalidate(ObjectId id) {
        forget(id, () -> {});
    }

    /**
     * Announces a write of an object, which must not be sent before this completes: what was known of it is forgotten by then,
     * also by whoever finds this cache's disks after a crash. Until {@link #endWrite}, and only for this object, answers of the
     * backend are used but not taken for known. Never fails, and waits for a disk that hangs for two seconds at most. Each
     * subscription, also one that is cancelled, is to be ended by one {@link #endWrite}.
     */
    public Mono<Void> beginWrite(ObjectId id) {
        Mono<Void> forgotten = Mono.create(sink -> forget(id, sink::success));
        // Nothing is found before that is written, however late. Only a crash meanwhile would bring it back.
        Mono<Void> distrusted = Mono.create(sink -> store.distrust(codec.head(id), sink::success));
        Mono<Void> inTime = forgotten.timeout(HUNG, distrusted.timeout(HUNG, Mono.empty()));
        return Mono.defer(() -> {
            writes.begin(id);
            generations.raise(id);
            // Most new objects are not known, and then a timer would be the dearest part.
            return mayBeKnown(id) ? inTime : Mono.empty();
        });
    }

    /**
     * Ends what {@link #beginWrite} began. Whoever asks from now on never gets an answer to an earlier question.
     *
     * @param answered whether the backend said what became of the write; if not, it may still happen, and the object is not
     *     taken for known for another {@link #IN_DOUBT}
     */
    public void endWrite(ObjectId id, boolean answered) {
        if (!answered) {
            Schedulers.parallel().schedule(() -> endWrite(id, true), IN_DOUBT.toMillis(), TimeUnit.MILLISECONDS);
        }
        generations.raise(id);
        openings.forget(id);
        revalidations.forget(id);
        if (answered) {
            writes.end(id);
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
        HeldBody held = new HeldBody(body);
        return Mono.create(sink -> {
            long generation = generations.of(id);
            long askedAt = clock.millis();
            Mono<ObjectContent> request = source.head().flatMap(now -> content(now.head(), written, held, source));
            openings.open(
                            id,
                            Optional::empty,
                            request,
                            content -> keep(id, content, source, generation, askedAt, Origin.WRITTEN))
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
        return writes.contains(id) ? Generations.NEVER : generations.of(id);
    }

    /** Whether nothing has been written since a {@link #fence}, so that an answer may be remembered which came since then. */
    public boolean holds(ObjectId id, long fence) {
        return fence != Generations.NEVER && fence(id) == fence;
    }

    /**
     * Somebody else's word on what an object is: if something else is known of it, that is forgotten. At once for a head in
     * memory, soon for one that is on a disk only.
     */
    public void told(ObjectId id, Optional<ETag> tag, long size) {
        if (heads.getIfPresent(id) != null || store.contains(codec.head(id))) {
            find(id).filter(known ->
                            known.size() != size || !known.head().eTag().equals(tag))
                    .subscribe(other -> invalidate(id));
        }
    }

    @Override
    public void close() {
        store.close();
    }

    private Mono<ObjectContent> content(ObjectHead now, ETag written, HeldBody body, ObjectSource source) {
        boolean same = now.eTag().filter(written::matchesStrongly).isPresent() && now.size() == body.size();
        // What waits for memory here is counted nowhere.
        if (same && !memory.isShort()) {
            return Mono.just(new ObjectContent(now, Optional.empty(), body.pieces()));
        }
        // Somebody else has written since, or there is no room for what was.
        body.release();
        return source.open(new Selection.Whole());
    }

    /** Whoever else's answer it was, the bytes of this write are not wanted for it. */
    private static void settle(Opened opened, HeldBody held) {
        boolean taken = opened instanceof Opened.Known known && known.led();
        if (!taken) {
            held.release();
        }
        if (opened instanceof Opened.Passed passed) {
            passed.content().discard();
        }
    }

    /** @param done when that is on a disk, or no disk takes it and none will be believed */
    private void forget(ObjectId id, Runnable done) {
        generations.raise(id);
        if (mayBeKnown(id)) {
            heads.invalidate(id);
            takeOut(id, done);
        } else {
            done.run();
        }
    }

    /** What is in memory may be on its way to a disk, and what earlier runs left may not be found yet. */
    private boolean mayBeKnown(ObjectId id) {
        return heads.getIfPresent(id) != null
                || !store.isRecovered()
                || onTheirWay.contains(id)
                || store.contains(codec.head(id));
    }

    private void takeOut(ObjectId id, Runnable done) {
        ByteBuffer identity = ByteBuffer.wrap(codec.identity(id));
        Fingerprint key = codec.head(id);
        store.write(
                new RecordDraft(Kind.TOMBSTONE, store.nextSequence(), key, Fingerprint.NONE, 0, identity, List.of()),
                stored -> done.run());
    }

    /**
     * Reads a head on a thread of its disk; owns the record. The read goes on if nobody waits for it any more: it must not be
     * interrupted, and gives the record back.
     */
    private Mono<CachedHead> read(StoredRecord record, ObjectId id) {
        return Mono.create(sink -> {
            try {
                record.readers().execute(() -> sink.success(readNow(record, id)));
            } catch (RejectedExecutionException closing) {
                record.close();
                sink.success();
            }
        });
    }

    /** A head, or null if it cannot be read: then it is none, whatever the reason. */
    private @Nullable CachedHead readNow(StoredRecord record, ObjectId id) {
        try (record) {
            Front front = record.readFront();
            Optional<CachedHead> head =
                    front == null ? Optional.empty() : codec.decode(id, front.headPart(), front.doubtful());
            if (front != null && head.isEmpty()) {
                record.drop();
            }
            return head.orElse(null);
        } catch (IOException e) {
            log.warn("A head cannot be read from its disk: {}", e.toString());
            // It may well be readable after a start, when something newer was known.
            takeOut(id, () -> {});
            record.dropUnreadable();
            return null;
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("A head cannot be read", e);
            return null;
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
            case NO_SUCH_KEY, NO_SUCH_VERSION, NO_SUCH_BUCKET, VERSION_CHANGED -> {
                if (mayBeKnown(id)) {
                    invalidate(id);
                }
            }
            default -> {}
        }
    }

    /** Makes an answer what is known, and its body the first fill; empty if it cannot be kept, and then it stays as it is. */
    private Optional<CachedHead> keep(
            ObjectId id, ObjectContent content, ObjectSource source, long generation, long askedAt, Origin origin) {
        ObjectHead told = content.head();
        if (!told.version().canBePinned()) {
            return Optional.empty();
        }
        CachedHead head = cached(id, told, askedAt, content.range().isEmpty());
        // Announced and numbered before the look at the generation: what makes this head old from then on knows of it,
        // and
        // has a higher number.
        onTheirWay.begin(id);
        long sequence = store.nextSequence();
        boolean together = isCurrent(id, generation) && head.blocks() == 1;
        boolean begun = begin(
                together ? filledTogether(head, source, sequence, generation) : filled(head, source), content, origin);
        if (!begun || !together) {
            onTheirWay.end(id);
        }
        // Only now may others know of it: who came before the fill would begin another.
        if (put(head, generation) && (!begun || !together)) {
            write(head, sequence, generation);
        }
        return Optional.of(head);
    }

    private boolean begin(FilledVersion version, ObjectContent content, Origin origin) {
        boolean begun = false;
        if (version.size() > 0) {
            ByteRange brought = content.range().orElseGet(() -> new ByteRange(0, version.size() - 1));
            begun = fills.begin(version, content.body(), brought, origin);
        }
        if (!begun) {
            content.discard();
        }
        return begun;
    }

    /** A head that was asked for by itself. It is written if it tells something new. */
    private void publish(CachedHead head, long generation) {
        long sequence = store.nextSequence();
        if (!head.head().version().canBePinned()) {
            return;
        }
        CachedHead before = heads.getIfPresent(head.id());
        boolean told = put(head, generation);
        if (told && (before == null || before.doubtful() || !before.head().equals(head.head()))) {
            write(head, sequence, generation);
        }
    }

    private void remember(CachedHead head, long generation) {
        heads.asMap().computeIfAbsent(head.id(), id -> isCurrent(id, generation) ? head : null);
    }

    /** Takes an answer for known, unless something has made it old. In one step, so that no invalidation falls in between. */
    private boolean put(CachedHead head, long generation) {
        boolean[] current = new boolean[1];
        heads.asMap().compute(head.id(), (id, before) -> {
            current[0] = isCurrent(id, generation);
            return current[0] ? head : before;
        });
        return current[0];
    }

    private boolean isCurrent(ObjectId id, long generation) {
        return generations.of(id) == generation && !writes.contains(id);
    }

    private void write(CachedHead head, long sequence, long generation) {
        RecordDraft draft;
        try {
            ByteBuffer headPart = ByteBuffer.wrap(codec.encode(head));
            draft = new RecordDraft(Kind.HEAD, sequence, codec.head(head.id()), head.version(), 0, headPart, List.of());
        } catch (IllegalArgumentException | UncheckedIOException unstorable) {
            // More is told of the object than fits into a record. What a disk has of it is older.
            takeOut(head.id(), () -> {});
            return;
        }
        store.write(draft, () -> isCurrent(head.id(), generation), stored -> {});
    }

    private CachedHead cached(ObjectId id, ObjectHead head, long askedAt, boolean complete) {
        return new CachedHead(
                id, head, askedAt, complete, false, codec.version(id, head.version(), blockSize), blockSize);
    }

    /** A version to be filled and read. */
    private FilledVersion filled(CachedHead head, ObjectSource source) {
        return filled(head, source, blocks(head));
    }

    private Records blocks(CachedHead head) {
        return (key, number, body) -> new RecordDraft(
                Kind.BLOCK,
                store.nextSequence(),
                key,
                head.version(),
                number,
                ByteBuffer.wrap(codec.identity(head.id())),
                body);
    }

    /** The same of one block, which is stored together with its head. */
    private FilledVersion filledTogether(CachedHead head, ObjectSource source, long sequence, long generation) {
        Records alone = blocks(head);
        return filled(head, source, new Records() {
            @Override
            public RecordDraft of(Fingerprint key, long number, List<ByteBuf> body) {
                if (!counts()) {
                    return alone.of(key, number, body);
                }
                ByteBuffer headPart = ByteBuffer.wrap(codec.encode(head));
                return new RecordDraft(Kind.OBJECT, sequence, codec.head(head.id()), head.version(), 0, headPart, body);
            }

            @Override
            public boolean counts() {
                return isCurrent(head.id(), generation);
            }

            @Override
            public void settled() {
                onTheirWay.end(head.id());
            }
        });
    }

    private FilledVersion filled(CachedHead head, ObjectSource source, Records records) {
        return new FilledVersion(
                store.hash(),
                head.version(),
                head.size(),
                head.blockSize(),
                range -> source.fetch(head.head().version(), range)
                        .doOnError(BackendException.class, failure -> forgetIfGone(head.id(), failure)),
                records);
    }

    private static int weight(ObjectId id, CachedHead head) {
        int weight = 300 + Objects.requireNonNull(id).object().key().value().length();
        for (var field : head.head().headers().fields()) {
            weight += 60 + field.name().length() + field.value().length();
        }
        return weight;
    }
}
