package io.millrace.gateway.objects.scratch;

import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Removes what is left of objects that have lost a block, and what is beyond its time. A quota removes blocks, each of
 * another object, and without this most of the bucket would be the rests of large objects that nobody finds. It goes
 * through the bucket in turn, step by step as objects are written, so a twentieth of the objects are rests, about.
 * Thread-safe; nobody waits for it.
 */
final class ScratchSweeper {
    private static final Logger log = LoggerFactory.getLogger(ScratchSweeper.class);

    /** Entries of the metadata store that are read at a time. */
    private static final int STEP = 1000;

    /** Entries that are looked at for each object of several blocks that is written. */
    private static final int ENTRIES_FOR_A_WRITE = 20;

    private final ScratchObjects objects;

    /** The writes since the last step. */
    private final AtomicInteger writes = new AtomicInteger();

    private final AtomicBoolean isRunning = new AtomicBoolean();

    /** The last entry of the last step; empty at the end. Used by one step at a time, as the next. */
    private volatile Optional<ObjectId> position = Optional.empty();

    /** The writes that another step takes. */
    private volatile int due = 1;

    ScratchSweeper(ScratchObjects objects) {
        this.objects = objects;
    }

    /** Is told of each object, and each part, that was written. One of a single block leaves no rest. */
    void written(ObjectMetadata object) {
        if (object.blocks() > 1
                && objects.isNearlyFull()
                && writes.incrementAndGet() >= due
                && isRunning.compareAndSet(false, true)) {
            writes.set(0);
            step().doFinally(end -> isRunning.set(false))
                    .subscribe(
                            removed -> {},
                            failure -> log.debug("The rests in {} stay for now", objects.bucket(), failure));
        }
    }

    private Mono<Void> step() {
        return objects.store()
                .list(objects.all(), position, STEP)
                .doOnNext(this::advance)
                .flatMapMany(Flux::fromIterable)
                .filter(entry -> !objects.isInTime(entry) || objects.store().isBroken(entry))
                .concatMap(entry -> objects.store().remove(entry))
                .then();
    }

    private void advance(List<ObjectMetadata> found) {
        due = Math.max(1, found.size() / ENTRIES_FOR_A_WRITE);
        position = found.size() < STEP
                ? Optional.empty()
                : Optional.of(found.get(STEP - 1).id());
    }
}
