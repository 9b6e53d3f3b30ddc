package io.millrace.backend.s3;

import io.millrace.backend.spi.BucketInfo;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.From;
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
 * Lists objects and buckets. Names are asked for percent-encoded, since XML cannot say every key; the SDK decodes them if the
 * server says that it encoded.
 */
final class S3ObjectLister {
    private final S3Client client;
    private final Failures failures;

    S3ObjectLister(S3Client client) {
        this.client = client;
        this.failures = new Failures(client.origin());
    }

    Mono<ListPage> list(ListRequest request) {
        Asked asked = Asked.list(request.bucket());
        return page(request).onErrorMap(failure -> failures.of(asked, failure));
    }

    Mono<List<BucketInfo>> buckets() {
        return bucketPage(null)
                .expand(page -> page.continuationToken() == null ? Mono.empty() : bucketPage(page.continuationToken()))
                .flatMapIterable(ListBucketsResponse::buckets)
                .filter(bucket -> BucketName.isValid(bucket.name()))
                .map(S3ObjectLister::info)
                .sort(Comparator.comparing(BucketInfo::name))
                .collectList()
                .onErrorMap(failure -> failures.of(Asked.buckets(), failure));
    }

    /** The shortest list of buckets there is, for whoever only wants to know whether it may be asked for. */
    Mono<Void> anyBucket() {
        return client.call(sdk -> sdk.listBuckets(list -> list.maxBuckets(1)))
                .onErrorMap(failure -> failures.of(Asked.buckets(), failure))
                .then();
    }

    Mono<BucketInfo> bucket(BucketName name) {
        return client.call(sdk -> sdk.headBucket(head -> head.bucket(name.value())))
                .map(response -> new BucketInfo(name, Optional.empty()))
                .onErrorMap(failure -> failures.of(Asked.bucket(name), failure));
    }

    private Mono<ListPage> page(ListRequest request) {
        ListStart start = ListStart.of(request.prefix(), marker(request.from()), request.maxKeys());
        if (request.from() instanceof From.Marker) {
            return client.call(sdk -> sdk.listObjects(byMarker(request, start)))
                    .map(response -> ListAnswer.of(response, start.maxEntries()));
        }
        return client.call(sdk -> sdk.listObjectsV2(byToken(request, start)))
                .map(response -> ListAnswer.of(response, start.maxEntries()));
    }

    private static String marker(From from) {
        if (from instanceof From.Marker marker) {
            return marker.text();
        }
        return from instanceof From.After after ? after.text() : "";
    }

    private static ListObjectsV2Request byToken(ListRequest request, ListStart start) {
        return ListObjectsV2Request.builder()
                .bucket(request.bucket().value())
                .prefix(some(request.prefix()))
                .delimiter(some(request.delimiter()))
                .maxKeys(start.maxEntries())
                .fetchOwner(request.owners() ? true : null)
                .encodingType(EncodingType.URL)
                .startAfter(some(start.marker()))
                .continuationToken(request.from() instanceof From.Token token ? token.token() : null)
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
