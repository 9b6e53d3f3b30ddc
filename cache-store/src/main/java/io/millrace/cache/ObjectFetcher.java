package io.millrace.cache;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.cache.fill.FillManager;
import io.millrace.cache.fill.FillManager.Origin;
import io.millrace.cache.fill.FillMemoryBudget;
import io.millrace.cache.fill.OpeningFill;
import io.millrace.cache.fill.SourceTraits;
import io.millrace.cache.fill.VersionFillSource;
import io.millrace.cache.metadata.MetadataCache;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.cache.metadata.ObjectPrefix;
import io.millrace.cache.metadata.VersionFingerprints;
import io.millrace.kit.async.SingleFlight;
import io.millrace.kit.async.UncancellableMono;
import io.netty.buffer.ByteBuf;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/**
 * Fetches objects from backends and caches the metadata of their responses, unless a write to the object came in
 * between. Bodies become fills. Concurrent requests for one object coalesce. Safe for use by any number of threads.
 */
final class ObjectFetcher {
    private final int blockSize;
    private final MetadataCache metadata;
    private final VersionFingerprints fingerprints;
    private final VersionFillSourceFactory versions;
    private final FillManager fills;
    private final FillMemoryBudget memory;
    private final InstantSource clock;
    private final UncachedObjectOpener openings = new UncachedObjectOpener();
    private final SingleFlight<ObjectId, ObjectMetadata> revalidations = new SingleFlight<>();

    ObjectFetcher(
            int blockSize,
            MetadataCache metadata,
            VersionFingerprints fingerprints,
            VersionFillSourceFactory versions,
            FillManager fills,
            FillMemoryBudget memory,
            InstantSource clock) {
        this.blockSize = blockSize;
        this.metadata = metadata;
        this.fingerprints = fingerprints;
        this.versions = versions;
        this.fills = fills;
        this.memory = memory;
        this.clock = clock;
    }

    /** Fetches an object of which no metadata is cached; the response's body is its first fill. */
    Mono<UncachedOpenResult> open(ObjectId id, ByteSelection wanted, ObjectSource source, Origin origin) {
        return Mono.defer(() -> {
            long epoch = metadata.writeEpoch(id);
            long requestedAt = clock.millis();
            long startedNanos = System.nanoTime();
            Mono<ObjectContent> request = source.open(UncachedObjectOpener.aligned(wanted, blockSize));
            return openings.open(
                    id,
                    () -> metadata.inMemory(id).filter(previous -> !previous.mustRevalidate()),
                    request,
                    content -> accept(id, content, source, epoch, requestedAt, origin, startedNanos),
                    content -> guarded(id, content));
        });
    }

    /**
     * Asks the backend for an object's metadata and publishes it.
     *
     * @param strict whether the request must be sent after this call; otherwise one in flight will do
     */
    Mono<ObjectMetadata> revalidate(ObjectId id, boolean strict, ObjectSource source) {
        return strict
                ? revalidations.joinNext(id, () -> requestMetadata(id, source))
                : revalidations.join(id, () -> requestMetadata(id, source)).map(SingleFlight.Joined::value);
    }

    /** Returns the metadata of an object that its caller knows; it is not published. */
    ObjectMetadata describe(ObjectId id, ObjectHead head, long fetchedAt) {
        return new ObjectMetadata(
                id, head, fetchedAt, true, false, fingerprints.of(id, head.version(), blockSize), blockSize);
    }

    /**
     * Asks the backend what was just written and, if it is that, makes {@code body} its blocks; the body is owned by
     * this.
     */
    Mono<Void> fill(ObjectId id, ETag written, List<ByteBuf> body, ObjectSource source) {
        BufferedRequestBody held = new BufferedRequestBody(body);
        return UncancellableMono.of(Mono.defer(() -> {
            long epoch = metadata.writeEpoch(id);
            long requestedAt = clock.millis();
            Mono<ObjectContent> request = source.head().flatMap(now -> content(id, now.head(), written, held, source));
            return openings.open(
                            id,
                            Optional::empty,
                            request,
                            content -> accept(id, content, source, epoch, requestedAt, Origin.WRITTEN, 0),
                            UnaryOperator.identity())
                    .doOnNext(opened -> settle(opened, held))
                    .doOnError(failure -> held.release())
                    .then();
        }));
    }

    /** Lets nobody join a request for the object that was sent before this call. */
    void forget(ObjectId id) {
        openings.stopSharing(id);
        revalidations.forget(id);
    }

    /** Lets nobody join a request for any of these objects that was sent before this call. */
    void forget(ObjectPrefix below) {
        openings.stopSharing(below);
        revalidations.forgetIf(below::holds);
    }

    /** Lets nobody join a request that was sent before this call. */
    void forgetAll() {
        openings.stopSharingAny();
        revalidations.forgetIf(id -> true);
    }

    private Mono<ObjectContent> content(
            ObjectId id, ObjectHead now, ETag written, BufferedRequestBody body, ObjectSource source) {
        boolean same = now.eTag().filter(written::matchesStrongly).isPresent() && now.size() == body.size();
        // The buffered body is not counted in the memory budget while it waits.
        if (same && !memory.isShort(id.backend())) {
            return Mono.just(new ObjectContent(now, Optional.empty(), body.pieces()));
        }
        // Another writer has written since, or memory is short.
        body.release();
        return source.open(new ByteSelection.WholeObject());
    }

    /** Releases the body if another request's response was used. */
    private static void settle(UncachedOpenResult opened, BufferedRequestBody held) {
        boolean taken = opened instanceof UncachedOpenResult.Cached cached && cached.isLeader();
        if (!taken) {
            held.release();
        }
        if (opened instanceof UncachedOpenResult.Uncacheable uncacheable) {
            uncacheable.content().discard();
        }
    }

    private Mono<ObjectMetadata> requestMetadata(ObjectId id, ObjectSource source) {
        return Mono.defer(() -> {
            long epoch = metadata.writeEpoch(id);
            long requestedAt = clock.millis();
            return source.head()
                    .map(HeadResult::head)
                    .switchIfEmpty(Mono.error(() -> new BackendException(
                            BackendException.FailureKind.INVALID_RESPONSE,
                            "no response to a metadata request for " + id.object())))
                    .map(head -> metadataOf(id, head, requestedAt, true))
                    .doOnNext(now -> publish(now, epoch, source))
                    .doOnError(BackendException.class, failure -> invalidateIfMissing(metadata, id, failure));
        });
    }

    /**
     * Publishes a response's metadata and makes its body the first fill; empty if it cannot be cached, and then it is
     * untouched.
     */
    private Optional<UncachedOpenResult.Cached> accept(
            ObjectId id,
            ObjectContent content,
            ObjectSource source,
            long epoch,
            long requestedAt,
            Origin origin,
            long startedNanos) {
        ObjectHead head = content.head();
        if (!head.version().hasStrongValidator() || !source.isCacheable(head.size())) {
            return Optional.empty();
        }
        ObjectMetadata now = metadataOf(id, head, requestedAt, content.range().isEmpty());
        Optional<OpeningFill> opening = begin(versions.create(now, source), content, origin, startedNanos);
        // After the fill has begun: a reader who came before it would begin another.
        publish(now, epoch, source);
        return Optional.of(new UncachedOpenResult.Cached(now, true, opening));
    }

    private ObjectContent guarded(ObjectId id, ObjectContent content) {
        return versions.check(id, content.head())
                .map(check -> check.guard(content))
                .orElse(content);
    }

    /** Publishes metadata; those of an object that another gateway keeps for this one in memory alone. */
    private void publish(ObjectMetadata now, long epoch, ObjectSource source) {
        if (now.head().version().hasStrongValidator()) {
            boolean unused = source.traits().storing() == SourceTraits.Storing.ALWAYS
                    ? metadata.publish(now, epoch)
                    : metadata.publishInMemory(now, epoch);
        }
    }

    /** Invalidates the object's metadata if a failure shows that it is outdated. */
    static void invalidateIfMissing(MetadataCache metadata, ObjectId id, BackendException failure) {
        switch (failure.kind()) {
            case NO_SUCH_KEY, NO_SUCH_VERSION, NO_SUCH_BUCKET, VERSION_CHANGED -> metadata.invalidateMissing(id);
            default -> {}
        }
    }

    private Optional<OpeningFill> begin(
            VersionFillSource version, ObjectContent content, Origin origin, long startedNanos) {
        Optional<OpeningFill> begun = Optional.empty();
        if (version.size() > 0) {
            ByteRange brought = content.range().orElseGet(() -> new ByteRange(0, version.size() - 1));
            begun = fills.begin(version, content.body(), brought, origin, startedNanos);
        }
        if (begun.isEmpty()) {
            content.discard();
        }
        return begun;
    }

    /**
     * The time at which a gateway before this was given the object counts, not the time at which that gateway was
     * asked.
     */
    private ObjectMetadata metadataOf(ObjectId id, ObjectHead head, long requestedAt, boolean complete) {
        long age = head.tier().map(gateway -> gateway.age().toMillis()).orElse(0L);
        return new ObjectMetadata(
                id,
                head,
                requestedAt - age,
                complete,
                false,
                fingerprints.of(id, head.version(), blockSize),
                blockSize);
    }
}
