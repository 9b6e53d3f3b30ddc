package io.millrace.gateway.objects.scratch;

import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Removes what is left of objects that have lost a block, and what is beyond its time. A quota removes blocks, each of
 * another object, and without this most of the bucket would be the rests of large objects that nobody finds. It goes
 * through the bucket in turn, step by step as objects are written, so a twentieth of the bucket is rests, about.
 * Thread-safe; nobody waits for it.
 */
final class ScratchSweeper {
    private static final Logger log = LoggerFactory.getLogger(ScratchSweeper.class);

    /** Entries of the metadata store that are read at a time. */
    private static final int STEP = 1000;

    /** Blocks that are looked for, for each that is written: of few objects a step may look for a million. */
    private static final int BLOCKS_FOR_A_BLOCK = 20;

    private final ScratchObjects objects;

    /** The blocks that were written since the last step. */
    private final AtomicLong blocks = new AtomicLong();

    private final AtomicBoolean isRunning = new AtomicBoolean();

    /** The last entry of the last step; empty at the end. Used by one step at a time, as the next. */
    private volatile Optional<ObjectId> position = Optional.empty();

    /** The blocks that are written before another step. */
    private volatile long due = 1;

    ScratchSweeper(ScratchObjects objects) {
        this.objects = objects;
    }

    /** Is told of each object, and each part, that was written. One of a single block leaves no rest. */
    void written(ObjectMetadata object) {
        if (object.blocks() > 1
                && objects.isNearlyFull()
                && blocks.addAndGet(object.blocks()) >= due
                && isRunning.compareAndSet(false, true)) {
            blocks.set(0);
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
                .concatMap(this::swept)
                .reduce(0L, Long::sum)
                .doOnNext(looked -> due = looked / BLOCKS_FOR_A_BLOCK)
                .then();
    }

    private void advance(List<ObjectMetadata> found) {
        position = found.size() < STEP
                ? Optional.empty()
                : Optional.of(found.get(STEP - 1).id());
    }

    /** Removes a rest; returns how many blocks it has looked for, about: a rest ends the look. */
    private Mono<Long> swept(ObjectMetadata entry) {
        Mono<Boolean> rest = objects.isInTime(entry) ? objects.store().isBroken(entry) : Mono.just(true);
        return rest.flatMap(isRest ->
                isRest ? objects.store().remove(entry).thenReturn(1L) : Mono.just(Math.max(1, entry.blocks())));
    }
}
