package io.millrace.gateway.s3.listing;

import io.millrace.backend.spi.ListRequest;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.freshness.RequestCacheControl;
import io.millrace.gateway.objects.listing.ListResult;
import io.millrace.gateway.objects.read.CachedObjects;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import reactor.core.publisher.Mono;

/** Reads pages of object listings through the cache, as the request's Cache-Control allows. */
final class CachedListReader {
    private CachedListReader() {}

    /** Returns a page; fails with NotInCache if {@code only-if-cached} is set and the page is not cached. */
    static Mono<ListResult> of(
            CachedObjects objects, AuthorizedRequest authorized, BucketView bucket, ListRequest request) {
        RequestCacheControl client =
                RequestCacheControl.parse(authorized.request().headers().all("cache-control"));
        return objects.list(bucket, request, client)
                .switchIfEmpty(Mono.error(() -> new S3Exception(S3ErrorCode.NOT_IN_CACHE)));
    }
}
