package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.objects.read.ListResult;
import io.millrace.gateway.objects.read.RequestCacheControl;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.protocol.S3Response;
import java.nio.ByteBuffer;
import reactor.core.publisher.Mono;

/** Reads pages of object listings through the cache, as the request's Cache-Control allows. */
final class CachedListReader {
    private CachedListReader() {}

    /** Returns a page; fails with NotInCache if {@code only-if-cached} is set and the page is not cached. */
    static Mono<ListResult> of(
            CurrentObjectFinder objects, AuthorizedRequest authorized, BucketView bucket, ListRequest request) {
        bucket.requireListing();
        RequestCacheControl client =
                RequestCacheControl.parse(authorized.request().headers().all("cache-control"));
        return objects.list(bucket, request, client)
                .switchIfEmpty(Mono.error(() -> new S3Exception(S3ErrorCode.NOT_IN_CACHE)));
    }

    /** Returns the response with a page, as an XML document. */
    static S3Response respond(ListResult listed, ByteBuffer document) {
        S3Response response = S3Response.xml(200, HeaderList.EMPTY, document);
        return listed.status().map(response::withCacheStatus).orElse(response);
    }
}
