package io.millrace.cache;

import io.millrace.backend.spi.ETag;
import io.millrace.cache.fill.Serial;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Others' word on what objects are, held against what is known of them; what is known otherwise is forgotten. What lies on disks only
 * is read a few at a time, so that a list of much that is cached does not stand before the disks' readers. Words that disks are too slow
 * for are not heeded: what is known then stays so for as long as its bucket has it. Safe for use by any number of threads; blocks nobody.
 */
final class ToldHeads {
    private static final Logger log = LoggerFactory.getLogger(ToldHeads.class);

    /** Heads that are read at a time: less than a disk has threads. */
    static final int AT_ONCE = 4;

    /** Bytes of memory for words that wait, for a look or to be forgotten on a disk: some ten thousand. */
    static final long MOST_BYTES = 8 << 20;

    private static final int WORD_BYTES = 250;

    private final Known known;
    private final Queue<Word> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean lagging = new AtomicBoolean();
    private final Serial steps = new Serial(failure -> log.error("What a list tells is not heeded", failure));

    /** For its steps alone. */
    private int underWay;

    /** What is known. */
    interface Known {
        /** In memory. */
        Optional<CachedHead> inMemory(ObjectId id);

        /** Whether there is something, in memory or on a disk, though it may not be readable now. */
        boolean contains(ObjectId id);

        /** Whether what was not found is there all the same: it cannot be read now, and would be found later. */
        boolean isUnread(ObjectId id);

        /** Wherever it is; empty also if it cannot be read now. */
        Mono<CachedHead> find(ObjectId id);

        /**
         * From now on nothing is known.
         *
         * @param done when a disk has that too, or none will be believed
         */
        void forget(ObjectId id, Runnable done);
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

    /** At once for a head in memory, soon for one that is on a disk only, unless too many wait. */
    void told(ObjectId id, Optional<ETag> tag, long size) {
        Word word = new Word(id, tag, size);
        Optional<CachedHead> inMemory = known.inMemory(id);
        if (inMemory.isPresent()) {
            if (word.differsFrom(inMemory.get())) {
                known.forget(id, () -> {});
            }
        } else if (known.contains(id)) {
            look(word);
        }
    }

    private void look(Word word) {
        if (bytes.addAndGet(word.bytes()) > MOST_BYTES) {
            bytes.addAndGet(-word.bytes());
            if (!lagging.getAndSet(true)) {
                log.warn(
                        "Lists come faster than disks tell what is cached of them: some of what they show is not compared with that.");
            }
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
                .doFinally(ended -> steps.run(this::end))
                .subscribe(found -> judge(word, found), failure -> {
                    log.warn("What is cached of {} cannot be told: {}", word.id(), failure.toString());
                    settled(word);
                });
    }

    private void judge(Word word, Optional<CachedHead> found) {
        boolean differs = found.isPresent() ? word.differsFrom(found.get()) : known.isUnread(word.id());
        if (differs) {
            known.forget(word.id(), () -> settled(word));
        } else {
            settled(word);
        }
    }

    private void settled(Word word) {
        if (bytes.addAndGet(-word.bytes()) < MOST_BYTES / 2) {
            lagging.set(false);
        }
    }

    private void end() {
        underWay--;
        beginMore();
    }
}
