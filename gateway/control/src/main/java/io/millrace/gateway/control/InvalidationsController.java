package io.millrace.gateway.control;

import io.millrace.auth.policy.AccessScope;
import io.millrace.auth.policy.Authorizer;
import io.millrace.auth.policy.PolicyAction;
import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CacheResidency;
import io.millrace.gateway.objects.write.FencedWrites;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/**
 * Serves {@code /api/v1/invalidations}: makes cached metadata stale after a change that did not pass the gateway. It
 * does to the cache what a write does, so it needs the right to write, or to operate the bucket.
 */
@RestController
@RequestMapping("/api/v1/invalidations")
final class InvalidationsController {
    private static final int PREFIXES_OF_ONE = 32;
    private static final int PREFIXES = 64;

    private final Supplier<BucketRegistry> buckets;
    private final Authorizer authorizer;
    private final FencedWrites writes;
    private final Optional<CacheResidency> residents;

    /** Each waits for a disk write, and for the invalidations before it. */
    private final ConcurrencyLimiter waiting =
            new ConcurrencyLimiter("invalidations of prefixes under way", PREFIXES_OF_ONE, PREFIXES);

    /** @param residents empty if there is no cache */
    InvalidationsController(
            Supplier<BucketRegistry> buckets,
            Authorizer authorizer,
            FencedWrites writes,
            Optional<CacheResidency> residents) {
        this.residents = residents;
        this.buckets = buckets;
        this.authorizer = authorizer;
        this.writes = writes;
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> invalidate(
            @RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal,
            @RequestBody InvalidationRequest request) {
        BucketName bucket = BucketParameterValidator.bucket(request.bucket());
        if (request.key() == null) {
            return invalidateBelow(principal, bucket, request.prefix() == null ? "" : request.prefix());
        }
        if (request.prefix() != null) {
            throw ApiException.invalidField("prefix", "stands in place of key, not beside it");
        }
        ObjectKey key = BucketParameterValidator.key(request.key());
        require(mayInvalidate(principal, bucket, AccessScope.object(bucket, key)), bucket, key.value());
        BucketView view = findBucket(bucket);
        ObjectRef object = view.at(key);
        return requireExisting(view)
                .then(Mono.defer(() -> writes.invalidate(view, object)))
                .onErrorMap(IOException.class, InvalidationsController::notDurable);
    }

    private Mono<Void> invalidateBelow(Principal principal, BucketName bucket, String prefix) {
        require(mayInvalidate(principal, bucket, new AccessScope.KeysBelow(bucket, prefix)), bucket, prefix + '*');
        BucketView view = findBucket(bucket);
        if (!prefix.isEmpty()) {
            BucketParameterValidator.requireValidPrefix(view, prefix);
        }
        return requireExisting(view)
                .then(Mono.defer(() -> waiting.limitDetached(principal, writes.invalidateBelow(view, prefix))))
                .onErrorMap(IOException.class, InvalidationsController::notDurable);
    }

    private BucketView findBucket(BucketName bucket) {
        BucketView view = BucketParameterValidator.findBucket(buckets.get(), bucket);
        BucketParameterValidator.requireOwnMetadata(view);
        return view;
    }

    /**
     * Refuses a bucket of which nothing is stored and that its backend lacks: it is misspelt, and another would stay
     * stale.
     */
    private Mono<Void> requireExisting(BucketView bucket) {
        return residents
                .map(stored -> stored.isUnknown(bucket))
                .orElseGet(bucket::isMissing)
                .flatMap(missing -> missing ? Mono.error(BucketParameterValidator.missing(bucket)) : Mono.empty());
    }

    private boolean mayInvalidate(Principal principal, BucketName bucket, AccessScope scope) {
        AccessScope undenied = new AccessScope.Undenied(AccessScope.bucket(bucket));
        return authorizer.decide(principal, PolicyAction.OPERATE, undenied).isAllowed()
                || authorizer.decide(principal, PolicyAction.PUT_OBJECT, scope).isAllowed();
    }

    private static void require(boolean allowed, BucketName bucket, String what) {
        if (!allowed) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN,
                    "An invalidation needs the right write on s3://%s/%s, or operate on the bucket and no denial there"
                            .formatted(bucket, what));
        }
    }

    /** Returns the error (507) for an invalidation that could not be stored. */
    static ApiException notDurable(IOException failure) {
        return ApiException.of(
                HttpStatus.INSUFFICIENT_STORAGE,
                ("It holds, but only until the next start: neither the metadata store nor a cache disk nor the data"
                                + " folder can be written (%s). Mend that, and send it again.")
                        .formatted(failure.getMessage()));
    }
}
