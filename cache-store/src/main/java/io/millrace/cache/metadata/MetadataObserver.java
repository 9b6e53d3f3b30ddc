package io.millrace.cache.metadata;

import io.millrace.backend.spi.object.ETag;
import io.millrace.cache.async.SerialExecutor;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Compares what listings show of objects with what is known of them, and forgets what differs. What is known only in the store is looked up
 * a few at a time, so that a listing of much does not stand before readers; what cannot be looked up is forgotten too, and what listings
 * show beyond a bound is not compared. Safe for use by any number of threads; blocks nobody.
 */
public final class MetadataObserver {
    private static final Logger log = LoggerFactory.getLogger(MetadataObserver.class);

    /** Lookups at a time. */
    static final int AT_ONCE = 4;

    /** Bytes of memory for observations that wait: some ten thousand. */
    static final long MOST_BYTES = 8 << 20;

    private static final int BYTES = 250;

    private final Function<ObjectId, Optional<ObjectMetadata>> inMemory;
    private final Function<ObjectId, Mono<ObjectMetadata>> find;
    private final Consumer<ObjectId> forget;
    private final Queue<Observation> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean lagging = new AtomicBoolean();
    private final SerialExecutor steps =
            new SerialExecutor(failure -> log.error("What a listing shows is not compared", failure));

    /** For its steps alone. */
    private int underWay;

    private record Observation(ObjectId id, Optional<ETag> tag, long size) {
        int bytes() {
            return BYTES + id.object().key().value().length();
        }

        boolean differsFrom(ObjectMetadata known) {
            return known.size() != size || !known.head().eTag().equals(tag);
        }
    }

    public MetadataObserver(MetadataCache metadata) {
        this(metadata::inMemory, metadata::findOrFail, metadata::invalidate);
    }

    MetadataObserver(
            Function<ObjectId, Optional<ObjectMetadata>> inMemory,
            Function<ObjectId, Mono<ObjectMetadata>> find,
            Consumer<ObjectId> forget) {
        this.inMemory = inMemory;
        this.find = find;
        this.forget = forget;
    }

    /** A listing shows an object: compared at once with what is in memory, soon with what is only stored, unless too many wait. */
    public void observe(ObjectId id, Optional<ETag> tag, long size) {
        Observation seen = new Observation(id, tag, size);
        Optional<ObjectMetadata> known = inMemory.apply(id);
        if (known.isPresent()) {
            judge(seen, known.get());
            return;
        }
        if (bytes.addAndGet(seen.bytes()) > MOST_BYTES) {
            bytes.addAndGet(-seen.bytes());
            if (!lagging.getAndSet(true)) {
                log.warn(
                        "Listings come faster than the metadata store: some of what they show is not compared with it");
            }
            return;
        }
        waiting.add(seen);
        steps.run(this::lookUpMore);
    }

    private void lookUpMore() {
        while (underWay < AT_ONCE) {
            @Nullable Observation next = waiting.poll();
            if (next == null) {
                return;
            }
            underWay++;
            lookUp(next);
        }
    }

    private void lookUp(Observation seen) {
        find.apply(seen.id())
                .doFinally(ended -> steps.run(() -> {
                    underWay--;
                    settle(seen);
                    lookUpMore();
                }))
                .subscribe(
                        known -> judge(seen, known),
                        // What cannot be compared is asked for before it is used again.
                        failure -> forget.accept(seen.id()));
    }

    private void settle(Observation seen) {
        if (bytes.addAndGet(-seen.bytes()) < MOST_BYTES / 2) {
            lagging.set(false);
        }
    }

    private void judge(Observation seen, ObjectMetadata known) {
        if (seen.differsFrom(known)) {
            forget.accept(seen.id());
        }
    }
}
