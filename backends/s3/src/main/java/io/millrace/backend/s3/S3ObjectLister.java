package io.millrace.backend.s3;

import io.millrace.backend.s3.client.S3Client;
import io.millrace.backend.s3.response.BackendExceptionMapper;
import io.millrace.backend.s3.response.ErrorContext;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.BucketInfo;
import io.millrace.backend.spi.object.BucketName;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.services.s3.model.Bucket;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.ListBucketsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsRequest;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;

/**
 * Lists objects and buckets: ListObjects, ListObjectsV2, ListBuckets and HeadBucket. Requests percent-encoded names, since XML
 * cannot represent every key; the SDK decodes them if the response says that they are encoded.
 */
final class S3ObjectLister {
    private final S3Client client;
    private final BackendExceptionMapper failures;

    S3ObjectLister(S3Client client) {
        this.client = client;
        this.failures = new BackendExceptionMapper(client.endpoint());
    }

    Mono<ListPage> list(ListRequest request) {
        ErrorContext asked = ErrorContext.list(request.bucket());
        return page(request).onErrorMap(failure -> failures.map(asked, failure));
    }

    Mono<List<BucketInfo>> buckets() {
        return bucketPage(null)
                .expand(page -> page.continuationToken() == null ? Mono.empty() : bucketPage(page.continuationToken()))
                .flatMapIterable(ListBucketsResponse::buckets)
                .filter(bucket -> BucketName.isValid(bucket.name()))
                .map(S3ObjectLister::info)
                .sort(Comparator.comparing(BucketInfo::name))
                .collectList()
                .onErrorMap(failure -> failures.map(ErrorContext.buckets(), failure));
    }

    /** Sends the cheapest ListBuckets request, to find out whether the credentials are accepted. */
    Mono<Void> anyBucket() {
        return client.call(sdk -> sdk.listBuckets(list -> list.maxBuckets(1)))
                .onErrorMap(failure -> failures.map(ErrorContext.buckets(), failure))
                .then();
    }

    Mono<BucketInfo> bucket(BucketName name) {
        return client.call(sdk -> sdk.headBucket(head -> head.bucket(name.value())))
                .map(response -> new BucketInfo(name, Optional.empty()))
                .onErrorMap(failure -> failures.map(ErrorContext.bucket(name), failure));
    }

    private Mono<ListPage> page(ListRequest request) {
        ListStart start = ListStart.of(request.prefix(), marker(request.start()), request.maxKeys());
        if (request.start() instanceof PageStart.Marker) {
            return client.call(sdk -> sdk.listObjects(byMarker(request, start)))
                    .map(response -> ListPageReader.read(response, start.maxEntries()));
        }
        return client.call(sdk -> sdk.listObjectsV2(byToken(request, start)))
                .map(response -> ListPageReader.read(response, start.maxEntries()));
    }

    private static String marker(PageStart from) {
        if (from instanceof PageStart.Marker marker) {
            return marker.text();
        }
        return from instanceof PageStart.StartAfter after ? after.text() : "";
    }

    private static ListObjectsV2Request byToken(ListRequest request, ListStart start) {
        return ListObjectsV2Request.builder()
                .bucket(request.bucket().value())
                .prefix(some(request.prefix()))
                .delimiter(some(request.delimiter()))
                .maxKeys(start.maxEntries())
                .fetchOwner(request.withOwners() ? true : null)
                .encodingType(EncodingType.URL)
                .startAfter(some(start.marker()))
                .continuationToken(request.start() instanceof PageStart.ContinuationToken token ? token.token() : null)
                .build();
    }

    private static ListObjectsRequest byMarker(ListRequest request, ListStart start) {
        return ListObjectsRequest.builder()
                .bucket(request.bucket().value())
                .prefix(some(request.prefix()))
                .delimiter(some(request.delimiter()))
                .maxKeys(start.maxEntries())
                .encodingType(EncodingType.URL)
                .marker(some(start.marker()))
                .build();
    }

    private Mono<ListBucketsResponse> bucketPage(@Nullable String token) {
        return client.call(sdk -> sdk.listBuckets(list -> list.continuationToken(token)));
    }

    private static BucketInfo info(Bucket bucket) {
        return new BucketInfo(new BucketName(bucket.name()), Optional.ofNullable(bucket.creationDate()));
    }

    private static @Nullable String some(String text) {
        return text.isEmpty() ? null : text;
    }
}
