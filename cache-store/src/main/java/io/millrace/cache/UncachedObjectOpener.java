package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.RangeSpec;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.kit.async.SingleFlight;
import io.netty.buffer.ByteBuf;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Opens objects without cached metadata: concurrent requests for one object share a single backend request. Its
 * response tells the version and is the first fill. The request continues if its caller cancels.
 */
final class UncachedObjectOpener {
    /** The maximum bytes of a request for a range. */
    static final long MAX_BYTES = 8 << 20;

    private final SingleFlight<ObjectId, UncachedOpenResult> requests = new SingleFlight<>();

    /**
     * Requests an object, or waits for the running request of another caller.
     *
     * @param current returns the metadata, if a response that came since the caller looked has published it
     * @param request sent unless a request of the object is running
     * @param keep publishes the metadata of a response and starts its fill; returns empty if the object cannot be
     *     cached
     * @param guard checks the content that its caller gets because it cannot be cached
     */
    Mono<UncachedOpenResult> open(
            ObjectId id,
            Supplier<Optional<ObjectMetadata>> current,
            Mono<ObjectContent> request,
            Function<ObjectContent, Optional<UncachedOpenResult.Cached>> keep,
            UnaryOperator<ObjectContent> guard) {
        return Mono.defer(() -> {
            UnsharedContent own = new UnsharedContent();
            Supplier<Mono<UncachedOpenResult>> send = () -> Mono.justOrEmpty(current.get()
                            .<UncachedOpenResult>map(
                                    now -> new UncachedOpenResult.Cached(now, false, Optional.empty())))
                    .switchIfEmpty(
                            request.switchIfEmpty(noResponse(id)).map(content -> accept(content, keep, guard, own)));
            return requests.join(id, send)
                    .map(joined -> joined.isLeader() ? own.ifUncacheable(joined.value()) : shared(joined.value()))
                    .doOnCancel(own::giveUp);
        });
    }

    /** Lets no further caller join a running request; those that have joined still get its result. */
    void stopSharing(ObjectId id) {
        requests.forget(id);
    }

    /** Lets no further caller join a running request of these objects. */
    void stopSharing(ObjectPrefix below) {
        requests.forgetIf(below::holds);
    }

    /** Lets no further caller join any running request. */
    void stopSharingAny() {
        requests.forgetIf(id -> true);
    }

    private static UncachedOpenResult accept(
            ObjectContent content,
            Function<ObjectContent, Optional<UncachedOpenResult.Cached>> keep,
            UnaryOperator<ObjectContent> guard,
            UnsharedContent own) {
        Optional<UncachedOpenResult.Cached> published = keep.apply(content);
        if (published.isPresent()) {
            return published.get();
        }
        own.offer(guard.apply(content));
        return new UncachedOpenResult.NotShared();
    }

    private static UncachedOpenResult shared(UncachedOpenResult leaders) {
        return leaders instanceof UncachedOpenResult.Cached cached
                ? new UncachedOpenResult.Cached(cached.metadata(), false, Optional.empty())
                : leaders;
    }

    private static Mono<ObjectContent> noResponse(ObjectId id) {
        return Mono.error(() -> new BackendException(
                BackendException.FailureKind.INVALID_RESPONSE, "no response to a read of " + id.object()));
    }

    /**
     * Content that belongs to one caller. It is discarded if the caller cancels before it subscribes, because Reactor
     * may drop a value that is emitted after a cancel.
     */
    private static final class UnsharedContent {
        private final AtomicReference<@Nullable ObjectContent> offered = new AtomicReference<>();
        private volatile boolean wanted = true;

        void offer(ObjectContent content) {
            offered.set(content);
            if (!wanted) {
                giveUp();
            }
        }

        /** Returns the content in place of a result that is not shared. */
        UncachedOpenResult ifUncacheable(UncachedOpenResult result) {
            ObjectContent content = offered.get();
            return content == null
                    ? result
                    : new UncachedOpenResult.Uncacheable(
                            new ObjectContent(content.head(), content.range(), Flux.defer(this::body)));
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
