package io.millrace.gateway.cluster;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.TierResponse;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.cache.BlockCache;
import io.millrace.cache.CacheReader;
import io.millrace.cache.ObjectSource;
import io.millrace.cache.fill.BlockAvailability;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.BackendReadException;
import io.millrace.gateway.objects.read.CacheStatus;
import io.millrace.gateway.objects.read.CurrentObject;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ObjectSourceFactory;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.gateway.s3.object.FirstBufferAwaiter;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCounted;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The home of objects, for other members: serves what they relay from this one's cache, and from the backend what is
 * not there, or from a member that has it and asks nobody, so that no read is passed on twice. It follows the rules of
 * a client's read here: freshness, leases, shared requests. A home that lacks bytes gets from here what this one has.
 * Thread-safe; never blocks.
 */
public final class HomeReads {
    private final CacheReader reader;
    private final CurrentObjectFinder objects;
    private final ObjectSourceFactory sources;
    private final Function<BucketName, Optional<BucketView>> buckets;
    private final BooleanSupplier hearsAll;
    private final InstantSource clock;

    /**
     * A response to a relayed read.
     *
     * @param header what is said of the object, or why it is not served
     * @param length bytes of the body
     * @param whole the body if it is in memory; must be sent once, or given up
     * @param body the body otherwise; must be subscribed to once, or given up
     */
    record Response(String header, long length, Optional<ByteBuf> whole, Flux<ReferenceCounted> body, Runnable giveUp) {
        static Response without(String header) {
            return new Response(header, 0, Optional.empty(), Flux.empty(), () -> {});
        }

        static Response inMemory(String header, ByteBuf body) {
            return new Response(header, body.readableBytes(), Optional.of(body), Flux.empty(), body::release);
        }
    }

    /**
     * @param objects what this gateway knows of objects
     * @param sources of what this one is home of, which ask no other home: {@link ClusterMember#homeSources}
     * @param buckets finds the bucket that clients know by a name
     * @param hearsAll returns whether the leases of all members are held; otherwise those who ask may have heard of
     *     writes that this member does not know of, and would remember what it says
     */
    public HomeReads(
            BlockCache cache,
            CurrentObjectFinder objects,
            ObjectSourceFactory sources,
            Function<BucketName, Optional<BucketView>> buckets,
            BooleanSupplier hearsAll,
            InstantSource clock) {
        this.reader = cache.reader();
        this.objects = objects.from(sources);
        this.sources = sources;
        this.buckets = buckets;
        this.hearsAll = hearsAll;
        this.clock = clock;
    }

    /**
     * Returns the response to a read, in the context of whose subscriber the body is read; empty if there is more to
     * say than fits into its header, or if not all is here of which only that was wanted.
     */
    Mono<Response> serve(RelayedRead read) {
        return Mono.defer(() -> {
                    BucketView bucket = buckets.apply(read.bucket())
                            .filter(found -> isSame(found, read.id()))
                            .orElseThrow(HomeReads::notShared);
                    if (read.held()) {
                        return held(bucket, read);
                    }
                    return read.wanted() instanceof RelayedRead.Version version
                            ? version(bucket, read, version)
                            : current(bucket, read);
                })
                .onErrorResume(
                        BackendException.class,
                        failure -> Mono.justOrEmpty(RelayCodec.encode(failure)).map(Response::without))
                .contextWrite(read.tier()::writeTo);
    }

    /** Settings may differ while they are changed at one member after another. */
    private static boolean isSame(BucketView bucket, ObjectId id) {
        return bucket.backendName().equals(id.backend())
                && bucket.backendBucket().equals(id.object().bucket())
                && id.object().key().value().startsWith(bucket.prefix());
    }

    private static BackendException notShared() {
        return new BackendException(FailureKind.UNSUPPORTED, "this member does not cache the object");
    }

    private Mono<Response> current(BucketView bucket, RelayedRead read) {
        boolean bodyWanted = read.wanted() instanceof RelayedRead.Current;
        ByteSelection selection = read.wanted() instanceof RelayedRead.Current current
                ? current.selection()
                : new ByteSelection.WholeObject();
        ReadRequest request = request(read.id(), selection);
        RequestCacheControl revalidated = RequestCacheControl.NONE.requiringRevalidation();
        boolean isRevalidated = read.tier().revalidate() || !hearsAll.getAsBoolean();
        RequestCacheControl client = isRevalidated ? revalidated : RequestCacheControl.NONE;
        return objects.find(bucket, request, client, bodyWanted)
                // A list may have shown the object to who asks, so the age of an absence must not add to the one there.
                .onErrorResume(
                        HomeReads::isRemembered, absent -> objects.find(bucket, request, revalidated, bodyWanted))
                .flatMap(found -> completed(bucket, request, client, found))
                .flatMap(found -> bodyWanted ? content(found, selection) : Mono.just(head(found)));
    }

    private static boolean isRemembered(Throwable failure) {
        return failure instanceof BackendReadException known && known.status().forwarded() == CacheStatus.Forward.NONE;
    }

    private static ReadRequest request(ObjectId id, ByteSelection selection) {
        ReadRequest current = ReadRequest.of(id.object()).withChecksums().withSelection(selection);
        return id.versionId().map(current::withVersionId).orElse(current);
    }

    /** Who asks for a whole object takes its metadata for complete, with the checksums that a range has not brought. */
    private Mono<CurrentObject.Cached> completed(
            BucketView bucket, ReadRequest request, RequestCacheControl client, CurrentObject found) {
        if (!(found instanceof CurrentObject.Cached cached)) {
            return Mono.error(refused(found));
        }
        boolean isComplete =
                cached.metadata().complete() || !(request.selection() instanceof ByteSelection.WholeObject);
        return isComplete
                ? Mono.just(cached)
                : objects.find(bucket, request, client, false)
                        .flatMap(now -> now instanceof CurrentObject.Cached complete
                                ? Mono.just(complete)
                                : Mono.error(refused(now)));
    }

    private static BackendException refused(CurrentObject found) {
        if (found instanceof CurrentObject.Bypass bypass) {
            bypass.content().ifPresent(ObjectContent::discard);
        }
        return notShared();
    }

    private Response head(CurrentObject.Cached found) {
        ObjectHead head = found.head().through(report(found.metadata(), found.status()));
        return Response.without(header(new RelayedObject(head, Optional.empty())));
    }

    private Mono<Response> content(CurrentObject.Cached found, ByteSelection selection) {
        long size = found.metadata().size();
        Optional<ByteRange> range = Optional.empty();
        if (selection instanceof ByteSelection.RangeSelection wanted) {
            range = wanted.spec().resolve(size);
            if (range.isEmpty()) {
                return Mono.error(
                        new BackendException(FailureKind.INVALID_RANGE, "the range is behind the object's end")
                                .withObjectSize(size));
            }
        }
        if (size == 0) {
            return Mono.just(head(found));
        }
        ByteRange bytes = range.orElseGet(() -> new ByteRange(0, size - 1));
        ObjectHead whole = found.head().through(report(found.metadata(), found.status(bytes)));
        ObjectHead head = range.isPresent() ? whole.withoutChecksums() : whole;
        RelayedObject object = new RelayedObject(head, range);
        String header = header(object);
        @Nullable ByteBuf inMemory = found.readFromMemory(bytes);
        return inMemory == null
                ? body(header, object, found.read(bytes))
                : Mono.just(Response.inMemory(header, inMemory));
    }

    private Mono<Response> version(BucketView bucket, RelayedRead read, RelayedRead.Version wanted) {
        if (!bucket.mayCache(read.id().object(), wanted.version().size())) {
            return Mono.error(notShared());
        }
        return described(read.id(), wanted.version())
                .flatMap(version -> stored(
                        version,
                        Optional.of(wanted.range()),
                        wanted.range(),
                        sources.create(bucket, read.id(), read.tier())));
    }

    /** What is known of that version has the checksum that its bytes are compared with. */
    private Mono<ObjectMetadata> described(ObjectId id, ObjectVersion wanted) {
        ObjectHead unknown = new ObjectHead(wanted, Optional.empty(), Optional.empty(), HeaderList.EMPTY);
        return reader.find(id)
                .filter(known -> known.head().version().equals(wanted))
                .switchIfEmpty(Mono.fromSupplier(() -> reader.describe(id, unknown, clock.millis())));
    }

    /**
     * Serves only what is here, and waits for nobody: a home asks, for which this member may be waiting. What is
     * evicted just now this one fetches from the backend.
     */
    private Mono<Response> held(BucketView bucket, RelayedRead read) {
        Mono<ObjectMetadata> known = read.wanted() instanceof RelayedRead.Version version
                ? described(read.id(), version.version())
                : reader.find(read.id());
        return known.flatMap(found -> {
            Optional<ByteRange> range = range(read.wanted(), found.size());
            boolean isAll = range.isEmpty() && isWhole(read.wanted()) && found.size() > 0;
            Optional<ByteRange> bytes = isAll ? Optional.of(new ByteRange(0, found.size() - 1)) : range;
            return bytes.filter(all -> reader.availability(found, all) == BlockAvailability.AVAILABLE)
                    .map(all -> stored(
                            found, range, all, ObjectSourceFactory.BACKENDS.create(bucket, read.id(), read.tier())))
                    .orElse(Mono.empty());
        });
    }

    private static boolean isWhole(RelayedRead.Wanted wanted) {
        return wanted instanceof RelayedRead.Current current
                && current.selection() instanceof ByteSelection.WholeObject;
    }

    /** Returns the range that is wanted of an object; empty if all of it is, or if it has no such bytes. */
    private static Optional<ByteRange> range(RelayedRead.Wanted wanted, long size) {
        if (wanted instanceof RelayedRead.Version version) {
            return Optional.of(version.range());
        }
        return wanted instanceof RelayedRead.Current current
                        && current.selection() instanceof ByteSelection.RangeSelection selected
                ? selected.spec().resolve(size)
                : Optional.empty();
    }

    /**
     * Sends bytes of one version, of which who asks knows the metadata.
     *
     * @param range of the response; empty if {@code bytes} are the whole object
     */
    private Mono<Response> stored(
            ObjectMetadata version, Optional<ByteRange> range, ByteRange bytes, ObjectSource source) {
        ObjectHead bare =
                new ObjectHead(version.head().version(), Optional.empty(), Optional.empty(), HeaderList.EMPTY);
        RelayedObject object = new RelayedObject(bare.through(new TierResponse("", Duration.ZERO)), range);
        String header = header(object);
        @Nullable ByteBuf inMemory = reader.readFromMemory(version, bytes);
        return inMemory == null
                ? body(header, object, reader.read(version, bytes, source, Optional.empty()))
                : Mono.just(Response.inMemory(header, inMemory));
    }

    private static Mono<Response> body(String header, RelayedObject object, Flux<ReferenceCounted> bytes) {
        return FirstBufferAwaiter.of(bytes)
                .map(first -> new Response(header, object.length(), Optional.empty(), first.body(), first::giveUp));
    }

    private static String header(RelayedObject object) {
        return RelayCodec.encode(object).orElseThrow(HomeReads::notShared);
    }

    private TierResponse report(ObjectMetadata metadata, CacheStatus status) {
        Duration age = Duration.ofMillis(Math.max(0, clock.millis() - metadata.fetchedAt()));
        return new TierResponse(status.toHeader(), age);
    }
}
