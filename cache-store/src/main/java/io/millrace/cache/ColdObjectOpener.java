package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;

/**
 * Opens objects without cached metadata: concurrent requests for one object share a single backend request. Its
 * response tells the version and is the first fill. The request continues if its caller cancels.
 */
final class ColdObjectOpener {
    /** The most that is asked for at once when a range is wanted. */
    static final long MAX_BYTES = 8 << 20;

    private final ConcurrentMap<ObjectId, Sinks.One<OpenResult>> underWay = new ConcurrentHashMap<>();

    /**
     * Asks for an object, or waits for the answer to another who has asked.
     *
     * @param known what is known by now, if another's answer came since the caller looked
     * @param request sent if nobody has
     * @param keep makes a head and a fill of an answer; empty if it cannot be kept
     */
    Mono<OpenResult> open(
            ObjectId id,
            Supplier<Optional<ObjectMetadata>> known,
            Mono<ObjectContent> request,
            Function<ObjectContent, Optional<ObjectMetadata>> keep) {
        return Mono.defer(() -> {
            Sinks.One<OpenResult> mine = Sinks.one();
            Sinks.One<OpenResult> there = underWay.putIfAbsent(id, mine);
            if (there != null) {
                return there.asMono();
            }
            Optional<ObjectMetadata> since = known.get();
            if (since.isPresent()) {
                underWay.remove(id, mine);
                mine.tryEmitValue(new OpenResult.Cached(since.get(), false));
                return mine.asMono();
            }
            return lead(id, mine, request, keep);
        });
    }

    /** Nobody joins a question that was sent before; who has joined still gets its answer. */
    void forget(ObjectId id) {
        underWay.remove(id);
    }

    /** The same of all these objects. */
    void forget(ObjectPrefix below) {
        underWay.keySet().removeIf(below::holds);
    }

    /** The request goes on if its caller leaves, and what is only for him is given up then. */
    private Mono<OpenResult> lead(
            ObjectId id,
            Sinks.One<OpenResult> shared,
            Mono<ObjectContent> request,
            Function<ObjectContent, Optional<ObjectMetadata>> keep) {
        UnsharedContent own = new UnsharedContent();
        return Mono.<OpenResult>create(sink -> {
                    request.switchIfEmpty(Mono.error(() -> new BackendException(
                                    BackendException.FailureKind.INVALID_RESPONSE,
                                    "no answer to a read of " + id.object())))
                            .subscribe(
                                    content -> {
                                        Optional<ObjectMetadata> kept = keep.apply(content);
                                        underWay.remove(id, shared);
                                        if (kept.isPresent()) {
                                            shared.tryEmitValue(new OpenResult.Cached(kept.get(), false));
                                            sink.success(new OpenResult.Cached(kept.get(), true));
                                        } else {
                                            shared.tryEmitValue(new OpenResult.NotShared());
                                            own.pass(content, sink);
                                        }
                                    },
                                    failure -> {
                                        underWay.remove(id, shared);
                                        shared.tryEmitError(failure);
                                        if (own.isWanted()) {
                                            sink.error(failure);
                                        }
                                    });
                })
                .doOnCancel(own::giveUp);
    }

    /**
     * Content that is one caller's alone. Whoever leaves before he reads it gives it up: between this and him it may be dropped
     * without a word.
     */
    private static final class UnsharedContent {
        private final AtomicReference<@Nullable ObjectContent> offered = new AtomicReference<>();
        private volatile boolean wanted = true;

        boolean isWanted() {
            return wanted;
        }

        void pass(ObjectContent content, MonoSink<OpenResult> sink) {
            offered.set(content);
            if (wanted) {
                ObjectContent once = new ObjectContent(content.head(), content.range(), Flux.defer(this::body));
                sink.success(new OpenResult.Uncacheable(once));
            } else {
                giveUp();
            }
        }

        void giveUp() {
            wanted = false;
            ObjectContent left = offered.getAndSet(null);
            if (left != null) {
                left.discard();
            }
        }

        private Flux<ByteBuf> body() {
            ObjectContent taken = offered.getAndSet(null);
            return taken == null ? Flux.error(new CancellationException("its reader has left")) : taken.body();
        }
    }

    /** The same bytes and what is around them: whole blocks, so that they can be kept. */
    static ByteSelection aligned(ByteSelection wanted, int blockSize) {
        if (!(wanted instanceof ByteSelection.RangeSelection range)) {
            return new ByteSelection.WholeObject();
        }
        RangeSpec spec = range.spec();
        if (spec instanceof RangeSpec.Suffix suffix) {
            // Where its blocks begin is not known: with one block more, the last ones are whole.
            return new ByteSelection.RangeSelection(
                    new RangeSpec.Suffix(Math.min(suffix.length(), MAX_BYTES) + blockSize));
        }
        long first = spec instanceof RangeSpec.Bounded closed ? closed.first() : ((RangeSpec.OpenEnded) spec).first();
        long last = spec instanceof RangeSpec.Bounded closed ? closed.last() : Long.MAX_VALUE;
        long firstBlock = first / blockSize;
        long lastBlock = Math.min(last / blockSize, firstBlock + MAX_BYTES / blockSize - 1);
        return new ByteSelection.RangeSelection(
                new RangeSpec.Bounded(firstBlock * blockSize, lastBlock * blockSize + blockSize - 1));
    }
}
