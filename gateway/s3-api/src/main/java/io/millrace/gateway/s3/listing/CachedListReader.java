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

/** Pages of lists of objects, as their requests want them of the cache. */
final class CachedListReader {
    private CachedListReader() {}

    /** A page; fails with NotInCache if it may only come from there. */
    static Mono<ListResult> of(
            CachedObjects objects, AuthorizedRequest admission, BucketView bucket, ListRequest request) {
        RequestCacheControl client =
                RequestCacheControl.parse(admission.request().headers().all("cache-control"));
        return objects.list(bucket, request, client)
                .switchIfEmpty(Mono.error(() -> new S3Exception(S3ErrorCode.NOT_IN_CACHE)));
    }
}
