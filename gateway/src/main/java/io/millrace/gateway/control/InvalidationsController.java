package io.millrace.gateway.control;

import io.millrace.auth.AccessPolicy;
import io.millrace.auth.Principal;
import io.millrace.auth.Right;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.freshness.ObjectWrites;
import java.io.IOException;
import java.util.Optional;
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
 * Makes the gateway ask again for what was changed behind its back. It does to the cache what a write through the gateway does, so it
 * takes the right to write.
 */
@RestController
@RequestMapping("/api/v1/invalidations")
final class InvalidationsController {
    private final Buckets buckets;
    private final AccessPolicy policy;
    private final ObjectWrites writes;

    /** Each waits for the data folder's disk, and for those that came before it. */
    private final FairShare waiting = new FairShare("invalidations of prefixes under way", 32, 64);

    InvalidationsController(Buckets buckets, AccessPolicy policy, ObjectWrites writes) {
        this.buckets = buckets;
        this.policy = policy;
        this.writes = writes;
    }

    @PostMapping(consumes = MediaType.APPLICATION_JSON_VALUE)
    @ResponseStatus(HttpStatus.NO_CONTENT)
    Mono<Void> invalidate(@RequestAttribute(Caller.WHO) Principal who, @RequestBody InvalidationRequest request) {
        BucketName bucket = Names.bucket(request.bucket());
        if (request.key() == null) {
            return invalidateBelow(who, bucket, request.prefix() == null ? "" : request.prefix());
        }
        if (request.prefix() != null) {
            throw ApiException.field("prefix", "stands in place of key, not beside it");
        }
        ObjectKey key = Names.key(request.key());
        require(policy.allows(who, Right.WRITE, bucket, Optional.of(key)), bucket, key.value());
        BucketView view = Names.view(buckets, bucket);
        return writes.forget(view, view.at(key)).onErrorMap(IOException.class, InvalidationsController::unkept);
    }

    private Mono<Void> invalidateBelow(Principal who, BucketName bucket, String prefix) {
        require(policy.allowsBelow(who, Right.WRITE, bucket, prefix), bucket, prefix + '*');
        BucketView view = Names.view(buckets, bucket);
        if (!prefix.isEmpty()) {
            Names.prefix(view, prefix);
        }
        return waiting.detached(who, writes.forgetBelow(view, prefix))
                .onErrorMap(IOException.class, InvalidationsController::unkept);
    }

    private static void require(boolean allowed, BucketName bucket, String what) {
        if (!allowed) {
            throw ApiException.of(
                    HttpStatus.FORBIDDEN,
                    "An invalidation needs the right write on s3://%s/%s".formatted(bucket, what));
        }
    }

    /** One that is not durable. */
    static ApiException unkept(IOException failure) {
        return ApiException.of(
                HttpStatus.INSUFFICIENT_STORAGE,
                "It holds, but only until the next start: neither the metadata store nor a cache disk nor the data folder can be written (%s). Mend that, and send it again."
                        .formatted(failure.getMessage()));
    }
}
