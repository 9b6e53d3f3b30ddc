package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
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
import io.millrace.gateway.objects.savings.BucketSavingsHandle;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * A bucket as clients name it, and where it lives.
 *
 * @param backendName the backend's name in the operator's file
 * @param real its name at the backend
 * @param prefix what its keys begin with at the backend; may be empty
 * @param forwardUnknown names of unknown fields, in lower case, that it forwards for everybody who may read or write there
 * @param account of what is read of it
 */
public record BucketView(
        BucketName name,
        String backendName,
        Backend backend,
        BucketName real,
        String prefix,
        BucketSettings.WriteMode write,
        BucketSettings.AccessRules accessRules,
        List<String> forwardUnknown,
        List<CorsSettings> cors,
        List<CacheRule> cache,
        FreshnessSettings freshness,
        BucketSavingsHandle account) {
    /** Reads it whatever is cached, for whoever wants it read: counted as what the bucket costs. */
    public Mono<ObjectContent> open(ReadRequest request) {
        return account.opening(backend.open(request));
    }

    /** Asks what an object is now; counted like {@link #open}. */
    public Mono<HeadResult> head(ReadRequest request) {
        return account.asking(backend.head(request));
    }

    /**
     * Where an object lives.
     *
     * @throws S3Exception KeyTooLong if the prefix makes the key longer than the backend's can be; AccessDenied if a backend that
     *     takes keys for paths would find it beside the prefix
     */
    public ObjectRef at(ObjectKey key) {
        if (!isInside(key.value())) {
            throw new S3Exception(S3ErrorCode.ACCESS_DENIED);
        }
        try {
            return new ObjectRef(real, prefix.isEmpty() ? key : new ObjectKey(prefix + key.value()));
        } catch (IllegalArgumentException tooLong) {
            throw new S3Exception(S3ErrorCode.KEY_TOO_LONG);
        }
    }

    /** Whether what clients name so lies below the prefix also for a backend that takes keys for paths. */
    public boolean isInside(String text) {
        return KeyPathNormalizer.normalize(prefix + text).startsWith(KeyPathNormalizer.normalize(prefix));
    }

    /**
     * The other object that this one may be at the backend: servers that speak S3 and keep files take {@code a//b} for {@code a/b}.
     * What is written to either may be written to both.
     */
    public Optional<ObjectRef> other(ObjectRef object) {
        return KeyPathNormalizer.alias(object.key())
                .filter(key -> backend.capabilities().contains(Capability.FORWARD))
                .map(key -> new ObjectRef(object.bucket(), key));
    }

    /** Whether an object may be cached, as far as its name tells. */
    public boolean stores(ObjectRef object) {
        return rule(object).map(CacheRule::store).orElse(true);
    }

    /** Whether an object of so many bytes may be cached. */
    public boolean stores(ObjectRef object, long size) {
        return rule(object).map(rule -> rule.takes(size)).orElse(true);
    }

    /** The rule that decides whether an object may be cached; empty if none fits its key. */
    public Optional<CacheRule> rule(ObjectRef object) {
        if (cache.isEmpty()) {
            return Optional.empty();
        }
        String key = outside(object.key().value());
        return cache.stream().filter(rule -> rule.keys().matches(key)).findFirst();
    }

    /** Whether keys and the bucket have the same names at the backend, so that a document that names them can be passed on. */
    public boolean isIdentity() {
        return prefix.isEmpty() && real.equals(name);
    }

    /**
     * The version a request names, as the backend takes it. Where the backend has no versions, the null version is the object
     * itself, and there is no other.
     *
     * @throws S3Exception NoSuchVersion for another there
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

    /** The backend's text for a prefix or marker of ours. */
    public String inside(String text) {
        return prefix + text;
    }

    /**
     * The backend's marker for a list of ours; empty if that list begins at its first key. An object of the backend's whose key
     * is the bucket's own prefix has no name here, so a list of everything begins after it. A list of a prefix cannot reach it
     * and gets no marker that its client did not send.
     */
    public String markerInside(String listedPrefix, String marker) {
        return marker.isEmpty() && !listedPrefix.isEmpty() ? "" : inside(marker);
    }

    /**
     * Our text for a key or prefix of the backend's.
     *
     * @throws BackendException of kind BROKEN_ANSWER if it is beside our prefix, which no answer to us may name
     */
    public String outside(String text) {
        if (!text.startsWith(prefix)) {
            throw new BackendException(
                    BackendException.FailureKind.INVALID_RESPONSE,
                    "bucket %s: a listing of '%s' names what is not below it".formatted(real, prefix));
        }
        return text.substring(prefix.length());
    }
}
