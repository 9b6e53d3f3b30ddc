package io.millrace.gateway.objects.monitor;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendRemedies;
import io.millrace.backend.spi.object.BucketName;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * Remembers the last failure of each backend and of each bucket in the settings, and logs warnings. Ignores failures
 * that the client caused. Thread-safe.
 */
public final class BackendFailureTracker {
    private static final String MISSING =
            ". Create the bucket there, or correct its name in the entry below buckets; until then clients are answered"
                    + " 404";

    private static final String IMPOSSIBLE =
            ". Correct its name in the entry below buckets; until then clients are answered 404";

    private final BiFunction<String, BucketName, Optional<String>> names;
    private final WarningLimiter warnings;
    private final ConcurrentMap<String, BackendFailure> ofBackends = new ConcurrentHashMap<>();
    private final ConcurrentMap<Place, BackendFailure> ofBuckets = new ConcurrentHashMap<>();

    private record Place(String backend, BucketName bucket) {}

    /**
     * @param names returns the name that clients use for a backend's bucket; empty if the settings do not name it, as
     *     for buckets of a pattern
     */
    public BackendFailureTracker(BiFunction<String, BucketName, Optional<String>> names, WarningLimiter warnings) {
        this.names = names;
        this.warnings = warnings;
    }

    /** Returns the last failure of a backend since the start. */
    public Optional<BackendFailure> last(String backend) {
        return Optional.ofNullable(ofBackends.get(backend));
    }

    /** Returns the last failure of a bucket in the settings since the start, by the backend's name for it. */
    public Optional<BackendFailure> last(String backend, BucketName bucket) {
        return Optional.ofNullable(ofBuckets.get(new Place(backend, bucket)));
    }

    /** Returns whether a backend, or a bucket in the settings there, has failed after this time. */
    public boolean hasFailedSince(String backend, Instant time) {
        return Stream.concat(
                        last(backend).stream(),
                        ofBuckets.entrySet().stream()
                                .filter(entry -> entry.getKey().backend().equals(backend))
                                .map(Map.Entry::getValue))
                .anyMatch(failure -> failure.at().isAfter(time));
    }

    /**
     * @param remedies those of the backend
     * @param bucket the backend's name; empty if the call concerned no bucket or several
     */
    void failed(
            String backend,
            BackendRemedies remedies,
            Optional<BucketName> bucket,
            String operation,
            Throwable failure) {
        FailureScope scope = FailureScope.of(failure);
        if (scope == FailureScope.BACKEND) {
            ofBackends.put(backend, failure(operation, failure));
            warnings.warn(
                    "Backend '%s', %s".formatted(backend, cause(failure)),
                    message(failure) + consequence(failure, remedies),
                    failure);
        } else if (scope == FailureScope.BUCKET) {
            deniedOrMissing(backend, bucket, operation, (BackendException) failure);
        }
    }

    private void deniedOrMissing(
            String backend, Optional<BucketName> bucket, String operation, BackendException failure) {
        Optional<String> name = bucket.flatMap(one -> names.apply(backend, one));
        boolean isMissing = failure.kind() == FailureKind.NO_SUCH_BUCKET;
        if (name.isPresent()) {
            BucketName real = bucket.orElseThrow();
            ofBuckets.put(new Place(backend, real), failure(operation, failure));
            warnings.warn(
                    "Bucket '%s' (backend '%s', there '%s'), %s".formatted(name.get(), backend, real, cause(failure)),
                    message(failure) + (isMissing ? missing(failure) : denied(operation)),
                    failure);
        } else if (!isMissing) { // Clients may name whatever fits a pattern, there or not.
            warnings.warn(
                    "Backend '%s', %s".formatted(backend, cause(failure)),
                    message(failure) + denied(operation),
                    failure);
        }
    }

    private static String missing(BackendException failure) {
        return failure.isOfImpossibleBucket() ? IMPOSSIBLE : MISSING;
    }

    private static String denied(String operation) {
        return operation.startsWith("bucket")
                ? ". Objects may be readable all the same"
                : ". Clients are answered 403 AccessDenied, and told that it is not their key";
    }

    private static String consequence(Throwable failure, BackendRemedies remedies) {
        if (!(failure instanceof BackendException backendFailure)) {
            return "";
        }
        return switch (backendFailure.kind()) {
            case CREDENTIALS_REJECTED -> ". Clients are answered 502 until that is mended";
            case CREDENTIALS_UNAVAILABLE ->
                ". Clients are answered 503 until it is back; check what gives the credentials";
            case UNAVAILABLE -> ". Clients are answered 503 until it is back. %s".formatted(remedies.unavailable());
            case LOOP -> ". Clients are answered 508 until that is mended. %s".formatted(remedies.loop());
            default -> "";
        };
    }

    private static BackendFailure failure(String operation, Throwable failure) {
        return new BackendFailure(Instant.now(), operation, message(failure));
    }

    private static String message(Throwable failure) {
        return LogSanitizer.escape(String.valueOf(failure.getMessage()));
    }

    private static String cause(Throwable failure) {
        return failure instanceof BackendException backendFailure
                ? backendFailure.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                : MeteredBackend.UNEXPECTED;
    }
}
