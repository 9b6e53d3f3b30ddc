package io.millrace.backend.s3;

import io.millrace.backend.s3.S3RequestExecutor.ProcessingTime;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.ObjectLister;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/**
 * Lists objects: ListObjects and ListObjectsV2. Requests percent-encoded names, since XML cannot represent every key.
 */
record S3ObjectLister(S3Client client) implements ObjectLister {
    @Override
    public Mono<ListPage> listObjects(ListRequest request) {
        ErrorResponseContext context = ErrorResponseContext.list(request.bucket());
        AdjustedListStart start = AdjustedListStart.of(request.prefix(), marker(request.start()), request.maxKeys());
        boolean byMarker = request.start() instanceof PageStart.Marker;
        return client.exchange(byMarker ? byMarker(request, start) : byToken(request, start), ProcessingTime.SHORT)
                .map(reply -> ListResponseParser.read(reply, byMarker, start.maxEntries()))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    private static String marker(PageStart from) {
        if (from instanceof PageStart.Marker marker) {
            return marker.text();
        }
        return from instanceof PageStart.StartAfter after ? after.text() : "";
    }

    private static UnsignedRequest byToken(ListRequest request, AdjustedListStart start) {
        String token = request.start() instanceof PageStart.ContinuationToken next ? next.token() : "";
        return listing(request, start)
                .withParameter("list-type", "2")
                .withNonEmptyParameter("fetch-owner", request.withOwners() ? "true" : "")
                .withNonEmptyParameter("start-after", start.marker())
                .withNonEmptyParameter("continuation-token", token);
    }

    private static UnsignedRequest byMarker(ListRequest request, AdjustedListStart start) {
        return listing(request, start).withNonEmptyParameter("marker", start.marker());
    }

    private static UnsignedRequest listing(ListRequest request, AdjustedListStart start) {
        UnsignedRequest bare = UnsignedRequest.of(SdkHttpMethod.GET, request.bucket());
        return start.addTo(bare, "max-keys", request.prefix(), request.delimiter());
    }
}
