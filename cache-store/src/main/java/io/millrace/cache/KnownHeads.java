package io.millrace.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.BackendException;
import io.millrace.cache.disk.RecordDraft;
import io.millrace.cache.disk.RecordStore;
import io.millrace.cache.disk.StoredRecord;
import io.millrace.cache.disk.StoredRecord.Front;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * What is known of objects: heads in memory, and on the disks behind it. An answer is taken for known only if nothing has made it
 * old since its question was sent: neither a write, nor somebody's word, nor another answer. Safe for use by any number of
 * threads.
 */
final class KnownHeads implements ToldHeads.Known {
    private static final Logger log = LoggerFactory.getLogger(KnownHeads.class);

    /** Decoded heads in memory, in characters of what they hold. */
    private static final long HEADS_IN_MEMORY = 32 << 20;

    private final RecordStore store;
    private final HeadCodec codec;
    private final Invalidations invalidations;
    private final Generations generations = new Generations();
    private final Counted writes = new Counted();

    /** Objects whose head comes to a disk together with their one block, when that is here. */
    private final Counted onTheirWay = new Counted();

    /** Empty where a place is only reserved, see {@link FencedPut}: then nothing is known. */
    private final Cache<ObjectId, Optional<CachedHead>> heads = Caffeine.newBuilder()
            .maximumWeight(HEADS_IN_MEMORY)
            .weigher(KnownHeads::weight)
            .build();

    KnownHeads(RecordStore store, HeadCodec codec, Invalidations invalidations) {
        this.store = store;
        this.codec = codec;
        this.invalidations = invalidations;
    }

    /** What is known, if it is in memory. */
    @Override
    public Optional<CachedHead> inMemory(ObjectId id) {
        return heads.asMap().getOrDefault(id, Optional.empty());
    }

    /** What is known; empty if nothing is. */
    @Override
    public Mono<CachedHead> find(ObjectId id) {
        Optional<CachedHead> known = inMemory(id);
        if (known.isPresent()) {
            return Mono.just(known.get());
        }
        return Mono.defer(() -> {
            long generation = generations.of(id);
            StoredRecord record = store.find(codec.head(id));
            return record == null ? Mono.empty() : read(record, id).doOnNext(head -> remember(head, generation));
        });
    }

    /** Whether something is known, in memory or on a disk, and will still be soon. */
    @Override
    public boolean contains(ObjectId id) {
        return inMemory(id).isPresent() || store.contains(codec.head(id));
    }

    /** In a start whose disks are still being read, only what is on a disk that is bypassed: the rest is told soon. */
    @Override
    public boolean isUnread(ObjectId id) {
        return store.isRecovered()
                ? contains(id)
                : store.outOfReach(codec.head(id)).isPresent();
    }

    /**
     * As {@link #contains}, and more: what is in memory may be on its way to a disk, and what earlier runs left may not be found yet.
     */
    boolean mayBeKnown(ObjectId id) {
        return !store.isRecovered() || onTheirWay.contains(id) || contains(id);
    }

    /** Taken before a question is sent. */
    long generation(ObjectId id) {
        return generations.of(id);
    }

    /** Whether what was asked for in this generation may be taken for known. */
    boolean isCurrent(ObjectId id, long generation) {
        return generations.of(id) == generation && !writes.contains(id);
    }

    /** As {@link #generation}; {@link Generations#NEVER} during a write. */
    long fence(ObjectId id) {
        return writes.contains(id) ? Generations.NEVER : generations.of(id);
    }

    void beginWrite(ObjectId id) {
        writes.begin(id);
    }

    /**
     * From now on nothing that was asked before counts, and nothing of it is in memory. It is taken out of there whether or not it
     * can be seen: an answer that was current a moment ago may be just about to come.
     *
     * @return whether something was in memory, and perhaps is on its way to a disk
     */
    boolean raise(ObjectId id) {
        generations.raise(id);
        return heads.asMap().remove(id) != null;
    }

    void endWrite(ObjectId id) {
        writes.end(id);
    }

    /** The head comes to a disk together with a block: until {@link #hasCome} it may be there though it is not found. */
    void comes(ObjectId id) {
        onTheirWay.begin(id);
    }

    void hasCome(ObjectId id) {
        onTheirWay.end(id);
    }

    /** Takes an answer for known, unless something has made it old: no invalidation falls in between. */
    boolean put(CachedHead head, long generation) {
        return FencedPut.put(heads.asMap(), head.id(), head, () -> isCurrent(head.id(), generation));
    }

    /** The same of what was found on a disk, if nothing newer is known. */
    void remember(CachedHead head, long generation) {
        FencedPut.putIfAbsent(heads.asMap(), head.id(), head, () -> isCurrent(head.id(), generation));
    }

    /** A head that was asked for by itself. It is written if it tells something new. */
    void publish(CachedHead head, long generation) {
        long sequence = store.nextSequence();
        if (!head.head().version().canBePinned()) {
            return;
        }
        CachedHead before = inMemory(head.id()).orElse(null);
        boolean told = put(head, generation);
        if (told && (before == null || before.doubtful() || !before.head().equals(head.head()))) {
            write(head, sequence, generation);
        }
    }

    void write(CachedHead head, long sequence, long generation) {
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

    /** @param done when that is on a disk, or no disk takes it and none will be believed */
    @Override
    public void forget(ObjectId id, Runnable done) {
        if (raise(id) || mayBeKnown(id)) {
            takeOut(id, done);
        } else {
            done.run();
        }
    }

    /**
     * Believes nothing that is known of these objects, on whatever disk, until it has been asked for.
     *
     * @return the sequence number that a head must have from now on
     */
    long doubt(ObjectPrefix below) {
        // In this order: an answer that still counts has a number by now, which is lower than the one that is taken
        // next.
        generations.raise(below.backend(), below.bucket());
        long sequence = store.nextSequence();
        invalidations.mark(below, sequence);
        // Once more, and before the look at the memory: who has found a head on a disk without the mark must not
        // remember
        // it behind that.
        generations.raise(below.backend(), below.bucket());
        heads.asMap().keySet().removeIf(below::holds);
        return sequence;
    }

    void forgetIfGone(ObjectId id, BackendException failure) {
        switch (failure.kind()) {
            case NO_SUCH_KEY, NO_SUCH_VERSION, NO_SUCH_BUCKET, VERSION_CHANGED -> {
                if (mayBeKnown(id)) {
                    forget(id, () -> {});
                }
            }
            default -> {}
        }
    }

    /** As {@link #forget}, of what disks have, or will: what is in memory was taken out by {@link #raise}. */
    void takeOut(ObjectId id, Runnable done) {
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
        return Mono.create(sink -> record.onDisk(read -> readNow(read, id), sink::success, late -> {}));
    }

    /** A head, or null if it cannot be read: then it is none, whatever the reason. */
    private @Nullable CachedHead readNow(StoredRecord record, ObjectId id) throws IOException {
        try {
            Front front = record.readFront();
            Optional<CachedHead> head = front == null
                    ? Optional.empty()
                    : codec.decode(
                            id, front.headPart(), front.doubtful() || invalidations.covers(id, front.sequence()));
            if (front != null && head.isEmpty()) {
                record.drop();
            }
            if (record.isDropped()) {
                // What it replaced may lie somewhere still.
                takeOut(id, () -> {});
            }
            return head.orElse(null);
        } catch (IOException e) {
            log.warn("A head cannot be read from its disk: {}", e.toString());
            // It may well be readable after a start, when something newer was known.
            takeOut(id, () -> {});
            throw e;
        } catch (RuntimeException | OutOfMemoryError e) {
            log.error("A head cannot be read", e);
            return null;
        }
    }

    static int weight(ObjectId id, Optional<CachedHead> head) {
        int weight = 300 + Objects.requireNonNull(id).characters();
        if (head.isPresent()) {
            for (var field : head.get().head().headers().fields()) {
                weight += 60 + field.name().length() + field.value().length();
            }
        }
        return weight;
    }
}
