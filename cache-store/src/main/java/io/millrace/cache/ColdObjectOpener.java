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
    /** The maximum bytes of a request for a range. */
    static final long MAX_BYTES = 8 << 20;

    private final ConcurrentMap<ObjectId, Sinks.One<OpenResult>> running = new ConcurrentHashMap<>();

    /**
     * Requests an object, or waits for the running request of another caller.
     *
     * @param known returns the metadata, if a response that came since the caller looked has published it
     * @param request sent unless a request of the object is running
     * @param keep publishes the metadata of a response and starts its fill; returns empty if the object cannot be
     *     cached
     */
    Mono<OpenResult> open(
            ObjectId id,
            Supplier<Optional<ObjectMetadata>> known,
            Mono<ObjectContent> request,
            Function<ObjectContent, Optional<ObjectMetadata>> keep) {
        return Mono.defer(() -> {
            Sinks.One<OpenResult> mine = Sinks.one();
            Sinks.One<OpenResult> there = running.putIfAbsent(id, mine);
            if (there != null) {
                return there.asMono();
            }
            Optional<ObjectMetadata> since = known.get();
            if (since.isPresent()) {
                running.remove(id, mine);
                mine.tryEmitValue(new OpenResult.Cached(since.get(), false));
                return mine.asMono();
            }
            return lead(id, mine, request, keep);
        });
    }

    /** Lets no further caller join a running request; those that have joined still get its result. */
    void stopSharing(ObjectId id) {
        running.remove(id);
    }

    /** Lets no further caller join a running request of these objects. */
    void stopSharing(ObjectPrefix below) {
        running.keySet().removeIf(below::holds);
    }

    /**
     * Sends the request. It continues if its caller cancels; content that only this caller may have is discarded then.
     */
    private Mono<OpenResult> lead(
            ObjectId id,
            Sinks.One<OpenResult> shared,
            Mono<ObjectContent> request,
            Function<ObjectContent, Optional<ObjectMetadata>> keep) {
        UnsharedContent own = new UnsharedContent();
        return Mono.<OpenResult>create(sink -> {
                    request.switchIfEmpty(Mono.error(() -> new BackendException(
                                    BackendException.FailureKind.INVALID_RESPONSE,
                                    "no response to a read of " + id.object())))
                            .subscribe(
                                    content -> {
                                        Optional<ObjectMetadata> kept = keep.apply(content);
                                        running.remove(id, shared);
                                        if (kept.isPresent()) {
                                            shared.tryEmitValue(new OpenResult.Cached(kept.get(), false));
                                            sink.success(new OpenResult.Cached(kept.get(), true));
                                        } else {
                                            shared.tryEmitValue(new OpenResult.NotShared());
                                            own.pass(content, sink);
                                        }
                                    },
                                    failure -> {
                                        running.remove(id, shared);
                                        shared.tryEmitError(failure);
                                        if (own.isWanted()) {
                                            sink.error(failure);
                                        }
                                    });
                })
                .doOnCancel(own::giveUp);
    }

    /**
     * Content that belongs to one caller. It is discarded if the caller cancels before it subscribes, because Reactor
     * may drop a value that is emitted after a cancel.
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

    /**
     * Returns the selection extended to whole blocks, so that they can be cached, and limited to {@link #MAX_BYTES}.
     */
    static ByteSelection aligned(ByteSelection wanted, int blockSize) {
        if (!(wanted instanceof ByteSelection.RangeSelection range)) {
            return new ByteSelection.WholeObject();
        }
        RangeSpec spec = range.spec();
        if (spec instanceof RangeSpec.Suffix suffix) {
            // The block boundaries are unknown before the response; one more block makes the last ones whole.
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
