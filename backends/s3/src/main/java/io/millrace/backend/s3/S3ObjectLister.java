package io.millrace.backend.s3;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.http.xml.XmlElement;
import io.millrace.backend.http.xml.XmlParser;
import io.millrace.backend.s3.client.RequestExecutor.RetryMode;
import io.millrace.backend.s3.client.S3Client;
import io.millrace.backend.s3.request.UnsignedRequest;
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
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/**
 * Lists objects and buckets: ListObjects, ListObjectsV2, ListBuckets and HeadBucket. Requests percent-encoded names, since XML
 * cannot represent every key.
 */
final class S3ObjectLister {
    private final S3Client client;
    private final BackendExceptionMapper failures;

    S3ObjectLister(S3Client client) {
        this.client = client;
        this.failures = new BackendExceptionMapper(client.endpoint());
    }

    Mono<ListPage> list(ListRequest request) {
        ErrorContext context = ErrorContext.list(request.bucket());
        ListStart start = ListStart.of(request.prefix(), marker(request.start()), request.maxKeys());
        boolean byMarker = request.start() instanceof PageStart.Marker;
        return client.exchange(byMarker ? byMarker(request, start) : byToken(request, start), RetryMode.ALWAYS)
                .map(reply -> ListPageReader.read(reply, byMarker, start.maxEntries()))
                .onErrorMap(failure -> failures.map(context, failure));
    }

    Mono<List<BucketInfo>> buckets() {
        return bucketPage("")
                .expand(page -> Mono.justOrEmpty(page.nonEmptyTextOf("ContinuationToken"))
                        .flatMap(this::bucketPage))
                .flatMapIterable(S3ObjectLister::bucketsOf)
                .sort(Comparator.comparing(BucketInfo::name))
                .collectList()
                .onErrorMap(failure -> failures.map(ErrorContext.buckets(), failure));
    }

    /** Sends the cheapest ListBuckets request, to find out whether the credentials are accepted. */
    Mono<Void> anyBucket() {
        return client.exchange(
                        UnsignedRequest.of(SdkHttpMethod.GET).withParameter("max-buckets", "1"), RetryMode.ALWAYS)
                .onErrorMap(failure -> failures.map(ErrorContext.buckets(), failure))
                .then();
    }

    Mono<BucketInfo> bucket(BucketName name) {
        return client.open(UnsignedRequest.of(SdkHttpMethod.HEAD, name))
                .flatMap(response -> response.body().drain())
                .thenReturn(new BucketInfo(name, Optional.empty()))
                .onErrorMap(failure -> failures.map(ErrorContext.bucket(name), failure));
    }

    private static String marker(PageStart from) {
        if (from instanceof PageStart.Marker marker) {
            return marker.text();
        }
        return from instanceof PageStart.StartAfter after ? after.text() : "";
    }

    private static UnsignedRequest byToken(ListRequest request, ListStart start) {
        String token = request.start() instanceof PageStart.ContinuationToken next ? next.token() : "";
        return listing(request, start)
                .withParameter("list-type", "2")
                .withNonEmptyParameter("fetch-owner", request.withOwners() ? "true" : "")
                .withNonEmptyParameter("start-after", start.marker())
                .withNonEmptyParameter("continuation-token", token);
    }

    private static UnsignedRequest byMarker(ListRequest request, ListStart start) {
        return listing(request, start).withNonEmptyParameter("marker", start.marker());
    }

    private static UnsignedRequest listing(ListRequest request, ListStart start) {
        return UnsignedRequest.of(SdkHttpMethod.GET, request.bucket())
                .withParameter("encoding-type", "url")
                .withParameter("max-keys", String.valueOf(start.maxEntries()))
                .withNonEmptyParameter("prefix", request.prefix())
                .withNonEmptyParameter("delimiter", request.delimiter());
    }

    private Mono<XmlElement> bucketPage(String token) {
        UnsignedRequest request =
                UnsignedRequest.of(SdkHttpMethod.GET).withNonEmptyParameter("continuation-token", token);
        return client.exchange(request, RetryMode.ALWAYS)
                .map(BufferedResponse::bytes)
                .map(bytes -> XmlParser.parse(bytes, "ListAllMyBucketsResult"));
    }

    /** Returns the buckets of a page, but those whose names are not valid. */
    private static List<BucketInfo> bucketsOf(XmlElement page) {
        return page.all("Buckets")
                .flatMap(buckets -> buckets.all("Bucket"))
                .filter(bucket ->
                        BucketName.isValid(bucket.nonEmptyTextOf("Name").orElse("")))
                .map(bucket -> new BucketInfo(
                        new BucketName(bucket.requiredTextOf("Name")),
                        bucket.nonEmptyTextOf("CreationDate").map(WriteResponseReader::time)))
                .toList();
    }
}
