package io.millrace.gateway.freshness;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.Conditions;
import io.millrace.backend.spi.ObjectVersion;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.ReadRequest.Selection;
import io.millrace.backend.spi.SelectedHead;
import io.millrace.cache.ObjectId;
import io.millrace.gateway.bucket.BucketView;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Where the parts of multipart uploads lie, so that a part is served from the blocks of its object. Asked by HEAD once for each
 * part of a version, and remembered in memory.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html">HeadObject, partNumber</a>
 */
final class Parts {
    /** Some hundred bytes each: a few objects of 10,000 parts, or many with few. */
    private static final int REMEMBERED = 50_000;

    private final Cache<PartId, SelectedHead> places = Caffeine.newBuilder()
            .maximumSize(REMEMBERED)
            .executor(Runnable::run)
            .build();

    private record PartId(ObjectId object, ObjectVersion version, int number, boolean checksums) {}

    /** The object's own question: what a HEAD tells of a part's checksums is asked of the part. */
    static ReadRequest wholeOf(ReadRequest request) {
        return new ReadRequest(
                request.object(),
                new Selection.Whole(),
                request.conditions(),
                request.pin(),
                request.versionId(),
                false,
                request.fields());
    }

    /** Whether the part belongs to another version than was known. */
    static boolean isOfAnotherVersion(Throwable failure) {
        return failure instanceof BackendException known && known.kind() == BackendException.Kind.VERSION_CHANGED;
    }

    /**
     * Adds the place of a part to what the object is now; an object that passes the cache by goes as it is.
     *
     * @param onlyIfCached whether the backend must not be asked for it
     */
    Mono<Current> locate(
            BucketView bucket, ReadRequest request, Selection.Part part, boolean onlyIfCached, Mono<Current> now) {
        return now.flatMap(current -> current instanceof Current.Known known
                ? locate(bucket, request, part, onlyIfCached, known)
                : Mono.just(current));
    }

    private Mono<Current> locate(
            BucketView bucket, ReadRequest request, Selection.Part part, boolean onlyIfCached, Current.Known known) {
        ObjectVersion version = known.head().head().version();
        PartId id = new PartId(known.head().id(), version, part.number(), request.checksums());
        Optional<SelectedHead> place = Optional.ofNullable(places.getIfPresent(id));
        if (place.isEmpty() && onlyIfCached) {
            return Mono.just(new Current.NotCached());
        }
        Mono<SelectedHead> found = place.map(Mono::just)
                .orElseGet(() -> bucket.head(request.onlyIf(Conditions.NONE).pinnedTo(version))
                        .doOnNext(answer -> places.put(id, answer)));
        return found.<Current>map(known::ofPart)
                // An answer to a HEAD does not say why: the read itself is told by the backend.
                .onErrorResume(Parts::isRefusal, e -> Mono.just(new Current.Pass(Optional.empty())));
    }

    private static boolean isRefusal(Throwable failure) {
        return failure instanceof BackendException known
                && switch (known.kind()) {
                    case VERSION_CHANGED, UNAVAILABLE, THROTTLED, BROKEN_ANSWER -> false;
                    default -> true;
                };
    }
}
