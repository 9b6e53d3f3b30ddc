package io.millrace.cache;

import io.millrace.backend.spi.ETag;
import io.millrace.cache.fill.Serial;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Others' word on what objects are, held against what is known of them; what is known otherwise is forgotten. What lies on disks only
 * is read a few at a time, so that a list of much that is cached does not stand before the disks' readers. Safe for use by any number of
 * threads; blocks nobody.
 */
final class ToldHeads {
    private static final Logger log = LoggerFactory.getLogger(ToldHeads.class);

    /** Heads that are read at a time: less than a disk has threads. */
    static final int AT_ONCE = 4;

    /** Bytes of memory for what waits: some ten thousand words. */
    static final long MOST_BYTES = 8 << 20;

    private static final int WORD_BYTES = 250;

    private final Known known;
    private final Queue<Word> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final Serial steps = new Serial(failure -> log.error("What a list tells is not heeded", failure));

    /** For its steps alone. */
    private int underWay;

    /** What is known. */
    interface Known {
        /** In memory. */
        Optional<CachedHead> inMemory(ObjectId id);

        /** Whether there is something, in memory or on a disk, though it may not be readable now. */
        boolean contains(ObjectId id);

        /** Whether it is on a disk only, and cannot be read now, but would be found again later. */
        boolean isOutOfReach(ObjectId id);

        /** Wherever it is; empty also if it cannot be read. */
        Mono<CachedHead> find(ObjectId id);

        /** From now on nothing is known. */
        void forget(ObjectId id);
    }

    private record Word(ObjectId id, Optional<ETag> tag, long size) {
        int bytes() {
            return WORD_BYTES + id.object().key().value().length();
        }

        boolean differsFrom(CachedHead known) {
            return known.size() != size || !known.head().eTag().equals(tag);
        }
    }

    ToldHeads(Known known) {
        this.known = known;
    }

    /** At once for a head in memory, soon for one that is on a disk only; of which too many wait, that is forgotten unseen. */
    void told(ObjectId id, Optional<ETag> tag, long size) {
        Word word = new Word(id, tag, size);
        Optional<CachedHead> inMemory = known.inMemory(id);
        if (inMemory.isPresent()) {
            if (word.differsFrom(inMemory.get())) {
                known.forget(id);
            }
        } else if (known.contains(id)) {
            look(word);
        }
    }

    private void look(Word word) {
        if (bytes.addAndGet(word.bytes()) > MOST_BYTES) {
            bytes.addAndGet(-word.bytes());
            known.forget(word.id());
            return;
        }
        waiting.add(word);
        steps.run(this::beginMore);
    }

    private void beginMore() {
        for (Word next = next(); next != null; next = next()) {
            begin(next);
        }
    }

    private @Nullable Word next() {
        return underWay < AT_ONCE ? waiting.poll() : null;
    }

    private void begin(Word word) {
        underWay++;
        known.find(word.id())
                .map(Optional::of)
                .defaultIfEmpty(Optional.empty())
                .doFinally(ended -> end(word))
                .subscribe(
                        found -> judge(word, found),
                        failure -> log.warn("What is cached of {} cannot be told: {}", word.id(), failure.toString()));
    }

    private void judge(Word word, Optional<CachedHead> found) {
        boolean differs = found.isPresent() ? word.differsFrom(found.get()) : known.isOutOfReach(word.id());
        if (differs) {
            known.forget(word.id());
        }
    }

    private void end(Word word) {
        bytes.addAndGet(-word.bytes());
        steps.run(() -> {
            underWay--;
            beginMore();
        });
    }
}
