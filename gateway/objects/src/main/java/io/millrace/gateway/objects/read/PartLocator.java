package io.millrace.gateway.objects.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.ByteSelection;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectVersion;
import io.millrace.backend.spi.object.ReadConditions;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.gateway.objects.bucket.BucketView;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Locates the parts of multipart objects, so that a part is served from the blocks of its object. It requests each part
 * of a version once by HEAD and keeps the result in memory. Headers that a part shares with its object come from the
 * object's metadata.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html">HeadObject, partNumber</a>
 */
final class PartLocator {
    /** The maximum heap memory: some 40,000 parts, a few objects of 10,000 or many with few. */
    private static final long MOST_BYTES = 32 << 20;

    private final Cache<PartId, LocatedPart> places = Caffeine.newBuilder()
            .maximumWeight(MOST_BYTES)
            .weigher(PartLocator::weight)
            .executor(Runnable::run)
            .build();

    record PartId(ObjectId object, ObjectVersion version, int number, boolean checksums) {}

    /**
     * A part and the object metadata it was located with: a copy of an object onto itself may keep the version and
     * change the checksums.
     */
    record LocatedPart(ObjectPart part, Optional<Instant> lastModified, HeaderList checksums) {
        static LocatedPart of(PartId id, ObjectPart part, ObjectHead whole) {
            return new LocatedPart(part, whole.lastModified(), checksums(id, whole));
        }

        boolean isOf(PartId id, ObjectHead whole) {
            return lastModified.equals(whole.lastModified()) && checksums.equals(checksums(id, whole));
        }

        private static HeaderList checksums(PartId id, ObjectHead whole) {
            return id.checksums() ? whole.headers().where(ChecksumAlgorithm::isHeader) : HeaderList.EMPTY;
        }
    }

    /** Returns the request for the whole object. */
    static ReadRequest wholeOf(ReadRequest request) {
        return request.withSelection(new ByteSelection.WholeObject());
    }

    /** Returns whether the failure means that the part belongs to another version than the cached one. */
    static boolean isOfAnotherVersion(Throwable failure) {
        return failure instanceof BackendException cached && cached.kind() == FailureKind.VERSION_CHANGED;
    }

    /**
     * Adds the part to the current state of its object; an object that bypasses the cache stays as it is.
     *
     * @param onlyIfCached whether the backend must not be asked for the part
     */
    Mono<CurrentObject> locate(
            BucketView bucket,
            ReadRequest request,
            ByteSelection.PartSelection part,
            boolean onlyIfCached,
            Mono<CurrentObject> now) {
        return now.flatMap(current -> current instanceof CurrentObject.Cached cached
                ? locate(bucket, request, part, onlyIfCached, cached)
                : Mono.just(current));
    }

    private Mono<CurrentObject> locate(
            BucketView bucket,
            ReadRequest request,
            ByteSelection.PartSelection part,
            boolean onlyIfCached,
            CurrentObject.Cached cached) {
        ObjectHead whole = cached.metadata().head();
        PartId id = new PartId(cached.metadata().id(), whole.version(), part.number(), request.checksums());
        Optional<LocatedPart> place =
                Optional.ofNullable(places.getIfPresent(id)).filter(located -> located.isOf(id, whole));
        if (place.isEmpty() && onlyIfCached) {
            return Mono.just(new CurrentObject.NotCached());
        }
        Mono<ObjectPart> found = place.map(LocatedPart::part)
                .map(Mono::just)
                .orElseGet(() -> bucket.head(
                                request.withConditions(ReadConditions.NONE).requireVersion(whole.version()))
                        .map(ObjectPart::of)
                        .doOnNext(headed -> places.put(id, LocatedPart.of(id, headed, whole))));
        return found.<CurrentObject>map(cached::ofPart)
                // The response to a HEAD has no error document; the client gets it from the read itself.
                .onErrorResume(PartLocator::isRefusal, e -> Mono.just(new CurrentObject.Bypass(Optional.empty())));
    }

    private static boolean isRefusal(Throwable failure) {
        return failure instanceof BackendException cached
                && !cached.kind().isTemporary()
                && cached.kind() != FailureKind.VERSION_CHANGED
                && cached.kind() != FailureKind.INVALID_RESPONSE;
    }

    static int weight(PartId id, LocatedPart place) {
        int weight = 500 + 2 * idCharacters(Objects.requireNonNull(id));
        return weight + fieldBytes(place.part().fields()) + fieldBytes(place.checksums());
    }

    private static int idCharacters(PartId id) {
        return id.object().characters()
                + id.version().validator().length()
                + id.version().versionId().map(String::length).orElse(0);
    }

    private static int fieldBytes(HeaderList fields) {
        return fields.fields().stream()
                .mapToInt(
                        field -> 60 + 2 * (field.name().length() + field.value().length()))
                .sum();
    }
}
