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
import io.millrace.kit.XmlText;
import io.millrace.kit.XmlWriter;
import java.nio.ByteBuffer;
import reactor.core.publisher.Mono;

/**
 * Lists a bucket's keys by version 1 of the operation, which older clients use.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjects.html">ListObjects</a>
 */
record ListObjects(ReadBucketFinder buckets, CurrentObjectFinder objects) implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        RequestTarget target = authorized.request().target();
        BucketView bucket = buckets.find(authorized);
        ListingParameters parameters = ListingParameters.of(target);
        String marker = target.parameter("marker").orElse("");
        ListRequest request = new ListRequest(
                bucket.backendBucket(),
                bucket.toBackend(parameters.prefix()),
                parameters.delimiter(),
                new PageStart.Marker(bucket.markerToBackend(parameters.prefix(), marker)),
                parameters.maxKeys(),
                true);
        return CachedListReader.of(objects, authorized, bucket, request)
                .map(listed -> CachedListReader.respond(listed, document(bucket, parameters, marker, listed.page())));
    }

    private static ByteBuffer document(BucketView bucket, ListingParameters parameters, String marker, ListPage page) {
        XmlWriter xml = XmlWriter.of("ListBucketResult")
                .element("Name", bucket.name().value())
                .element("Prefix", prefix(parameters))
                .element("Marker", parameters.encode(marker));
        // As in S3: without a delimiter, clients continue after the last key.
        if (!parameters.delimiter().isEmpty() && page.next().orElse(null) instanceof PageStart.Marker next) {
            xml.element("NextMarker", parameters.encode(bucket.toClient(next.text())));
        }
        ListingXml.limits(xml, parameters, page.next().isPresent());
        ListingXml.entries(xml, page, bucket, parameters);
        return xml.bytes();
    }

    /**
     * Encodes only what would break the document: boto3 does not decode the prefix in version 1, but does in version 2.
     */
    private static String prefix(ListingParameters parameters) {
        String prefix = parameters.prefix();
        return XmlText.isRepresentable(prefix) ? prefix : parameters.encode(prefix);
    }
}
