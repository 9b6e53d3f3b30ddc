package io.millrace.cache.metadata;

import io.millrace.backend.spi.object.ETag;
import io.millrace.cache.async.CallerRunsTaskQueue;
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
 * Invalidates cached metadata that differs from what a listing says of the object. Metadata that is only stored is read
 * a few objects at a time, so that a large listing does not delay readers. Metadata that cannot be read is invalidated;
 * entries beyond a memory bound are not compared. Thread-safe and non-blocking.
 */
public final class ListingObserver {
    private static final Logger log = LoggerFactory.getLogger(ListingObserver.class);

    /** The maximum number of concurrent lookups. */
    static final int MAX_CONCURRENT = 4;

    /** The maximum memory of waiting observations: some ten thousand. */
    static final long MOST_BYTES = 8 << 20;

    private static final int BYTES = 250;

    private final Function<ObjectId, Optional<ObjectMetadata>> inMemory;
    private final Function<ObjectId, Mono<ObjectMetadata>> find;
    private final Consumer<ObjectId> invalidate;
    private final Queue<Observation> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicBoolean lagging = new AtomicBoolean();
    private final CallerRunsTaskQueue steps = new CallerRunsTaskQueue(
            failure -> log.error("A listed object was not compared with its metadata", failure));

    /** The number of running lookups; accessed only in {@link #steps}. */
    private int running;

    private record Observation(ObjectId id, Optional<ETag> tag, long size) {
        int bytes() {
            return BYTES + id.object().key().value().length();
        }

        boolean differsFrom(ObjectMetadata cached) {
            return cached.size() != size || !cached.head().eTag().equals(tag);
        }
    }

    public ListingObserver(MetadataCache metadata) {
        this(metadata::inMemory, metadata::findOrFail, metadata::invalidate);
    }

    ListingObserver(
            Function<ObjectId, Optional<ObjectMetadata>> inMemory,
            Function<ObjectId, Mono<ObjectMetadata>> find,
            Consumer<ObjectId> forget) {
        this.inMemory = inMemory;
        this.find = find;
        this.invalidate = forget;
    }

    /**
     * Compares a listing's entry: at once with metadata in memory, soon with metadata that is only stored, unless too
     * many observations wait.
     */
    public void observe(ObjectId id, Optional<ETag> tag, long size) {
        Observation observation = new Observation(id, tag, size);
        Optional<ObjectMetadata> cached = inMemory.apply(id);
        if (cached.isPresent()) {
            compare(observation, cached.get());
            return;
        }
        if (bytes.addAndGet(observation.bytes()) > MOST_BYTES) {
            bytes.addAndGet(-observation.bytes());
            if (!lagging.getAndSet(true)) {
                log.warn("Listings arrive faster than the metadata store reads; some listed objects are not compared");
            }
            return;
        }
        waiting.add(observation);
        steps.run(this::lookUpNext);
    }

    private void lookUpNext() {
        while (running < MAX_CONCURRENT) {
            @Nullable Observation next = waiting.poll();
            if (next == null) {
                return;
            }
            running++;
            lookUp(next);
        }
    }

    private void lookUp(Observation observation) {
        find.apply(observation.id())
                .doFinally(ended -> steps.run(() -> {
                    running--;
                    settle(observation);
                    lookUpNext();
                }))
                .subscribe(
                        cached -> compare(observation, cached),
                        // Metadata that cannot be compared must be revalidated before use.
                        failure -> invalidate.accept(observation.id()));
    }

    private void settle(Observation observation) {
        if (bytes.addAndGet(-observation.bytes()) < MOST_BYTES / 2) {
            lagging.set(false);
        }
    }

    private void compare(Observation observation, ObjectMetadata cached) {
        if (observation.differsFrom(cached)) {
            invalidate.accept(observation.id());
        }
    }
}
