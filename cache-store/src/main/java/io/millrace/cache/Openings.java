package io.millrace.cache;

import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.RangeSpec;
import io.millrace.backend.spi.ReadRequest.Selection;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/**
 * The first step of a cold key: one request for all who ask at the same time, whose answer tells the version and is the first
 * fill. It goes on if whoever began it leaves.
 */
final class Openings {
    /** The most that is asked for at once when a range is wanted. */
    private static final long MAX_BYTES = 8 << 20;

    private final ConcurrentMap<ObjectId, Sinks.One<Opened>> underWay = new ConcurrentHashMap<>();

    /**
     * Asks for an object, or waits for the answer to another who has asked.
     *
     * @param known what is known by now, if another's answer came since the caller looked
     * @param request sent if nobody has
     * @param keep makes a head and a fill of an answer; empty if it cannot be kept
     */
    Mono<Opened> open(
            ObjectId id,
            Supplier<Optional<CachedHead>> known,
            Mono<ObjectContent> request,
            Function<ObjectContent, Optional<CachedHead>> keep) {
        return Mono.defer(() -> {
            Sinks.One<Opened> mine = Sinks.one();
            Sinks.One<Opened> there = underWay.putIfAbsent(id, mine);
            if (there != null) {
                return there.asMono();
            }
            Optional<CachedHead> since = known.get();
            if (since.isPresent()) {
                underWay.remove(id, mine);
                mine.tryEmitValue(new Opened.Known(since.get(), false));
                return mine.asMono();
            }
            return lead(id, mine, request, keep);
        });
    }

    /** Whether somebody asks for it now. */
    boolean isUnderWay(ObjectId id) {
        return underWay.containsKey(id);
    }

    private Mono<Opened> lead(
            ObjectId id,
            Sinks.One<Opened> shared,
            Mono<ObjectContent> request,
            Function<ObjectContent, Optional<CachedHead>> keep) {
        // Of its own, so that it does not end with the first who wanted it.
        Sinks.One<Opened> own = Sinks.one();
        request.subscribe(
                content -> {
                    Optional<CachedHead> kept = keep.apply(content);
                    underWay.remove(id, shared);
                    shared.tryEmitValue(
                            kept.isPresent() ? new Opened.Known(kept.get(), false) : new Opened.NotShared());
                    Opened mine = kept.isPresent() ? new Opened.Known(kept.get(), true) : new Opened.Passed(content);
                    own.tryEmitValue(mine);
                },
                failure -> {
                    underWay.remove(id, shared);
                    shared.tryEmitError(failure);
                    own.tryEmitError(failure);
                });
        return own.asMono();
    }

    /** The same bytes and what is around them: whole blocks, so that they can be kept. */
    static Selection aligned(Selection wanted, int blockSize) {
        if (!(wanted instanceof Selection.Range range)) {
            return new Selection.Whole();
        }
        RangeSpec spec = range.spec();
        if (spec instanceof RangeSpec.Suffix suffix) {
            // Where its blocks begin is not known: with one block more, the last ones are whole.
            return new Selection.Range(new RangeSpec.Suffix(Math.min(suffix.length(), MAX_BYTES) + blockSize));
        }
        long first = spec instanceof RangeSpec.Closed closed ? closed.first() : ((RangeSpec.From) spec).first();
        long last = spec instanceof RangeSpec.Closed closed ? closed.last() : Long.MAX_VALUE;
        long firstBlock = first / blockSize;
        long lastBlock = Math.min(last / blockSize, firstBlock + MAX_BYTES / blockSize - 1);
        return new Selection.Range(new RangeSpec.Closed(firstBlock * blockSize, lastBlock * blockSize + blockSize - 1));
    }
}
