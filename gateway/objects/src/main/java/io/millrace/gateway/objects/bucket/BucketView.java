package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.HeadResult;
import io.millrace.backend.spi.ObjectContent;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.KeyPathNormalizer;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import reactor.core.publisher.Mono;

/**
 * A bucket as clients see it, with its backend, its name there and its settings.
 *
 * @param settings the entry of the settings that matches its name
 * @param savings the savings of the bucket
 */
public record BucketView(BucketName name, BucketSettings settings, Backend backend, LazyBucketSavings savings) {
    /** Names that every S3 server takes, or most. */
    private static final Pattern COMMON_NAME = Pattern.compile("[a-z0-9.-]{3,63}");

    /** The longest wait for the answer whether a bucket exists. */
    private static final Duration EXISTENCE_CHECK = Duration.ofSeconds(5);

    /** Returns the backend's name in the settings. */
    public String backendName() {
        return settings.backend();
    }

    /** Returns the bucket's name at the backend. */
    public BucketName backendBucket() {
        return settings.backendBucket(name);
    }

    /** Returns the common prefix of the bucket's keys at the backend; may be empty. */
    public String prefix() {
        return settings.prefix();
    }

    public FreshnessSettings freshness() {
        return settings.freshness();
    }

    /** Returns from which bucket it is derived, and how; empty if its objects are its own. */
    public Optional<DerivedSettings> derived() {
        return settings.derived();
    }

    /** Returns the name of the transform that makes its objects; empty if none does. */
    public Optional<String> transform() {
        return derived().flatMap(DerivedSettings::transform);
    }

    /** Returns whether its objects are in the cache and nowhere else. */
    public boolean isScratch() {
        return settings.scratch().isPresent();
    }

    /**
     * Returns how a request is refused that is on what is cached of the bucket, which is of another one, or has no
     * other copy; empty if it is the copy of what its backend has.
     */
    public Optional<String> whyCachedIsNotManaged() {
        return isScratch()
                ? Optional.of("is a scratch bucket, whose objects have no other copy: delete them as an S3 client does")
                : derived().map(DerivedSettings::whyNothingIsCached);
    }

    /** Returns whether a pattern of the settings gives this name, so that the bucket may not exist. */
    public boolean isOfPattern() {
        return settings.name().isPattern();
    }

    /**
     * Returns whether the backend says that it lacks this bucket, or refuses the name, so that none there can have it:
     * it may be misspelt, by the caller or in the settings. False if it has the bucket, or does not answer within five
     * seconds.
     */
    public Mono<Boolean> isMissing() {
        return findFault().map(fault -> fault == FailureKind.NO_SUCH_BUCKET).defaultIfEmpty(false);
    }

    /**
     * Returns what to say to who has named this bucket if its backend lacks it. The name that it has there is the
     * operator's, whom {@code millrace doctor} and {@code millrace status} tell it.
     */
    public String absence() {
        String there = backendBucket().equals(name) ? "" : ", where it has another name";
        boolean isRefusedByMost = !COMMON_NAME.matcher(backendBucket().value()).matches();
        String form = isRefusedByMost
                ? "; that is a name that most servers refuse: they take 3 to 63 small letters, digits, dots and hyphens"
                : "";
        return "does not exist at backend '%s'%s%s".formatted(backendName(), there, form);
    }

    /**
     * Asks the backend for the bucket and returns why that fails; empty if it has the bucket. A bucket whose name it
     * refuses is one that it lacks, and a backend that does not answer within five seconds is unavailable.
     */
    public Mono<FailureKind> findFault() {
        return Mono.defer(() -> backend.headBucket(backendBucket()))
                .timeout(EXISTENCE_CHECK)
                .then(Mono.<FailureKind>empty())
                .onErrorResume(failure -> Mono.just(kind(failure)));
    }

    private static FailureKind kind(Throwable failure) {
        if (failure instanceof BackendException known) {
            return known.isOfBucketName() ? FailureKind.NO_SUCH_BUCKET : known.kind();
        }
        return failure instanceof TimeoutException ? FailureKind.UNAVAILABLE : FailureKind.UNEXPECTED;
    }

    /**
     * Checks that the backend can list.
     *
     * @throws S3Exception NotImplemented if it cannot
     */
    public void requireListing() {
        if (!canList()) {
            throw new S3Exception(
                    S3ErrorCode.NOT_IMPLEMENTED,
                    "The backend of this bucket cannot list its objects; each can be read by its key.");
        }
    }

    /** Returns whether the backend can list the objects of the bucket. */
    public boolean canList() {
        return backend.capabilities().contains(Capability.LIST);
    }

    /** Reads from the backend regardless of the cache, and counts the read. */
    public Mono<ObjectContent> open(ReadRequest request) {
        return isCounted() ? savings.countOpen(backend.open(request)) : backend.open(request);
    }

    /** Requests an object's metadata from the backend, and counts the read. */
    public Mono<HeadResult> head(ReadRequest request) {
        return isCounted() ? savings.countHead(backend.head(request)) : backend.head(request);
    }

    /** What a derived bucket asks its source for is counted there, and a scratch bucket asks nobody. */
    private boolean isCounted() {
        return derived().isEmpty() && !isScratch();
    }

    /**
     * Returns the object at the backend.
     *
     * @throws S3Exception KeyTooLong if the key with the prefix is too long for the backend; AccessDenied if a backend
     *     that treats keys as paths would resolve it outside the prefix
     */
    public ObjectRef at(ObjectKey key) {
        if (!isInside(key.value())) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        try {
            return new ObjectRef(backendBucket(), prefix().isEmpty() ? key : new ObjectKey(toBackend(key.value())));
        } catch (IllegalArgumentException tooLong) {
            throw new S3Exception(S3ErrorCode.KEY_TOO_LONG);
        }
    }

    /** Returns whether a key or prefix stays below the view's prefix, also for a backend that treats keys as paths. */
    public boolean isInside(String text) {
        return KeyPathNormalizer.normalize(toBackend(text)).startsWith(KeyPathNormalizer.normalize(prefix()));
    }

    /**
     * Returns the alias of an object: S3 servers that keep files treat {@code a//b} as {@code a/b}, so a write of
     * either may write both.
     */
    public Optional<ObjectRef> alias(ObjectRef object) {
        return KeyPathNormalizer.alias(object.key())
                .filter(key -> backend.capabilities().contains(Capability.PATH_ALIASES))
                .map(key -> new ObjectRef(object.bucket(), key));
    }

    /** Returns whether an object may be cached, judged by its key alone. */
    public boolean mayCache(ObjectRef object) {
        return rule(object).map(CacheRule::store).orElse(true);
    }

    /** Returns whether an object of this size may be cached. */
    public boolean mayCache(ObjectRef object, long size) {
        return rule(object).map(rule -> rule.takes(size)).orElse(true);
    }

    /** Returns the first cache rule that matches an object's key; empty if none does. */
    public Optional<CacheRule> rule(ObjectRef object) {
        List<CacheRule> rules = settings.cacheRules();
        if (rules.isEmpty()) {
            return Optional.empty();
        }
        String key = toClient(object.key().value());
        return rules.stream().filter(rule -> rule.keys().matches(key)).findFirst();
    }

    /**
     * Returns whether bucket and keys have the same names at the backend, so that documents with names can be
     * forwarded.
     */
    public boolean isIdentity() {
        return prefix().isEmpty() && backendBucket().equals(name);
    }

    /**
     * Returns the version id of a request for the backend. Without versioning the null version is the object itself,
     * and the only one.
     *
     * @throws S3Exception NoSuchVersion for another version id there
     */
    public Optional<String> versionId(Optional<String> named) {
        if (named.isEmpty() || backend.capabilities().contains(Capability.VERSIONS)) {
            return named;
        }
        if (named.get().equals("null")) {
            return Optional.empty();
        }
        throw new S3Exception(S3ErrorCode.NO_SUCH_VERSION).with("VersionId", named.get());
    }

    /** Translates a prefix or marker of a client for the backend. */
    public String toBackend(String text) {
        return prefix() + text;
    }

    /**
     * Translates the marker of a listing for the backend; empty for a listing from its first key. A backend object
     * whose key equals the view's prefix has no name for clients, so a listing of everything starts after it. A listing
     * with a prefix cannot include it, and gets no marker that its client did not send.
     */
    public String markerToBackend(String listedPrefix, String marker) {
        return marker.isEmpty() && !listedPrefix.isEmpty() ? "" : toBackend(marker);
    }

    /**
     * Translates a key or prefix of the backend for clients.
     *
     * @throws BackendException of kind INVALID_RESPONSE if it lies outside the view's prefix, which no response may
     *     name
     */
    public String toClient(String text) {
        if (!text.startsWith(prefix())) {
            throw new BackendException(
                    BackendException.FailureKind.INVALID_RESPONSE,
                    "bucket %s: a listing of '%s' names what is not below it".formatted(backendBucket(), prefix()));
        }
        return text.substring(prefix().length());
    }
}
