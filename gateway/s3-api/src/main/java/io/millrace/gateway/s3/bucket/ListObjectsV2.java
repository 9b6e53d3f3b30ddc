package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.read.CurrentObjectFinder;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.XmlWriter;
import java.nio.ByteBuffer;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Lists a bucket's keys by version 2 of the operation.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html">ListObjectsV2</a>
 */
record ListObjectsV2(ReadBucketFinder buckets, CurrentObjectFinder objects, ContinuationTokenSealer tokens)
        implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        RequestTarget target = authorized.request().target();
        if (!target.parameter("list-type").orElse("").equals("2")) {
            throw ListingParameters.invalid(
                    "list-type", target.parameter("list-type").orElse(""), "Invalid List Type");
        }
        BucketView bucket = buckets.find(authorized);
        ListingParameters parameters = ListingParameters.of(target);
        ListRequest request = new ListRequest(
                bucket.backendBucket(),
                bucket.toBackend(parameters.prefix()),
                parameters.delimiter(),
                from(target, bucket, parameters.prefix()),
                parameters.maxKeys(),
                target.parameter("fetch-owner").filter("true"::equalsIgnoreCase).isPresent());
        return CachedListReader.of(objects, authorized, bucket, request)
                .map(listed -> CachedListReader.respond(listed, document(target, bucket, parameters, listed.page())));
    }

    private PageStart from(RequestTarget target, BucketView bucket, String prefix) {
        Optional<String> token = target.parameter("continuation-token").filter(text -> !text.isEmpty());
        if (token.isPresent()) {
            return tokens.open(bucket, token.get())
                    .filter(text -> !text.isEmpty())
                    .map(PageStart.ContinuationToken::new)
                    .orElseThrow(() -> ListingParameters.invalid(
                            "continuation-token", token.get(), "The continuation token provided is incorrect"));
        }
        String after =
                bucket.markerToBackend(prefix, target.parameter("start-after").orElse(""));
        return after.isEmpty() ? new PageStart.FirstKey() : new PageStart.StartAfter(after);
    }

    private ByteBuffer document(RequestTarget target, BucketView bucket, ListingParameters parameters, ListPage page) {
        XmlWriter xml = XmlWriter.of("ListBucketResult")
                .element("Name", bucket.name().value())
                .element("Prefix", parameters.encode(parameters.prefix()));
        target.parameter("start-after")
                .filter(after -> !after.isEmpty())
                .ifPresent(after -> xml.element("StartAfter", parameters.encode(after)));
        xml.element("ContinuationToken", target.parameter("continuation-token"));
        if (page.next().orElse(null) instanceof PageStart.ContinuationToken next) {
            xml.element("NextContinuationToken", tokens.seal(bucket, next.token()));
        }
        xml.element(
                "KeyCount",
                Integer.toString(page.objects().size() + page.prefixes().size()));
        ListingXml.limits(xml, parameters, page.next().isPresent());
        ListingXml.entries(xml, page, bucket, parameters);
        return xml.bytes();
    }
}
