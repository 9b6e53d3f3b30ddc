package io.millrace.gateway.listing;

import io.millrace.backend.spi.ListRequest;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.freshness.CacheControl;
import io.millrace.gateway.freshness.CachedObjects;
import io.millrace.gateway.freshness.Listed;
import io.millrace.gateway.gate.Admission;
import reactor.core.publisher.Mono;

/** Pages of lists of objects, as their requests want them of the cache. */
final class Pages {
    private Pages() {}

    /** A page; fails with NotInCache if it may only come from there. */
    static Mono<Listed> of(CachedObjects objects, Admission admission, BucketView bucket, ListRequest request) {
        CacheControl client = CacheControl.parse(admission.request().headers().all("cache-control"));
        return objects.list(bucket, request, client)
                .switchIfEmpty(Mono.error(() -> new S3Exception(S3ErrorCode.NOT_IN_CACHE)));
    }
}
