package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.MultipartUploads.PartPage;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.write.ChecksumXml;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.NumberParameter;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.protocol.XmlTimestamp;
import io.millrace.kit.XmlWriter;
import reactor.core.publisher.Mono;

/**
 * Lists the uploaded parts of a multipart upload.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html">ListParts</a>
 */
record ListParts(BucketRegistry buckets) implements S3Handler {
    private static final int MAX_PARTS = 1000;

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        UploadReference target = UploadReference.of(authorized, buckets);
        RequestTarget request = authorized.request().target();
        int maxParts = NumberParameter.of(request, "max-parts", MAX_PARTS, MAX_PARTS);
        int after = NumberParameter.of(request, "part-number-marker", 0, Integer.MAX_VALUE);
        return target.bucket()
                .backend()
                .listParts(target.upload(), after, maxParts)
                .map(page -> response(authorized, target, page, after, maxParts));
    }

    private static S3Response response(
            AuthorizedRequest authorized, UploadReference target, PartPage page, int after, int maxParts) {
        XmlWriter xml = XmlWriter.of("ListPartsResult")
                .element("Bucket", authorized.bucket().value())
                .element("Key", authorized.key().value())
                .element("UploadId", target.upload().uploadId());
        ListPage.ObjectOwner owner = MultipartListingElements.OWNER;
        MultipartListingElements.owner(xml, "Initiator", owner);
        MultipartListingElements.owner(xml, "Owner", owner);
        xml.element("StorageClass", page.storageClass())
                .element("PartNumberMarker", Integer.toString(after))
                .element("NextPartNumberMarker", page.next().map(Object::toString))
                .element("MaxParts", Integer.toString(maxParts))
                .element("IsTruncated", Boolean.toString(page.next().isPresent()));
        MultipartListingElements.checksumSettings(xml, page.headers());
        page.parts().forEach(part -> part(xml, part));
        return S3Response.xml(200, MultipartListingElements.others(page.headers()), xml.bytes());
    }

    private static void part(XmlWriter xml, ListedPart part) {
        xml.open("Part")
                .element("PartNumber", Integer.toString(part.number()))
                .element("LastModified", XmlTimestamp.format(part.lastModified()))
                .element("ETag", part.eTag().toString())
                .element("Size", Long.toString(part.size()));
        ChecksumXml.write(xml, part.checksums());
        xml.close();
    }
}
