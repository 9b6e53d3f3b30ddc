package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.EncodingType;
import io.millrace.gateway.s3.protocol.NumberParameter;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.protocol.XmlTimestamp;
import io.millrace.kit.XmlWriter;
import reactor.core.publisher.Mono;

/**
 * Lists the open multipart uploads of a bucket.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListMultipartUploads.html">ListMultipartUploads</a>
 */
record ListMultipartUploads(BucketRegistry buckets) implements S3Handler {
    private static final int MAX_UPLOADS = 1000;

    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        RequestTarget target = authorized.request().target();
        BucketView bucket = buckets.find(authorized.bucket());
        EncodingType encoding = EncodingType.of(target);
        String keyMarker = target.parameter("key-marker").orElse("");
        String prefix = target.parameter("prefix").orElse("");
        ListUploadsRequest query = new ListUploadsRequest(
                bucket.backendBucket(),
                bucket.toBackend(prefix),
                target.parameter("delimiter").orElse(""),
                bucket.markerToBackend(prefix, keyMarker),
                // Ignored without a key marker, as in S3.
                keyMarker.isEmpty() ? "" : target.parameter("upload-id-marker").orElse(""),
                NumberParameter.of(target, "max-uploads", MAX_UPLOADS, MAX_UPLOADS));
        return bucket.backend()
                .listUploads(query)
                .map(page -> S3Response.xml(
                        200,
                        HeaderList.EMPTY,
                        document(target, bucket, encoding, query, page).bytes()));
    }

    private static XmlWriter document(
            RequestTarget target, BucketView bucket, EncodingType encoding, ListUploadsRequest query, UploadPage page) {
        XmlWriter xml = XmlWriter.of("ListMultipartUploadsResult")
                .element("Bucket", bucket.name().value())
                .element(
                        "KeyMarker",
                        encoding.encode(target.parameter("key-marker").orElse("")))
                .element("UploadIdMarker", target.parameter("upload-id-marker").orElse(""));
        page.next()
                .ifPresent(next -> xml.element("NextKeyMarker", encoding.encode(bucket.toClient(next.key())))
                        .element("NextUploadIdMarker", next.uploadId()));
        xml.element("Prefix", encoding.encode(target.parameter("prefix").orElse("")));
        if (!query.delimiter().isEmpty()) {
            xml.element("Delimiter", encoding.encode(query.delimiter()));
        }
        xml.element("EncodingType", encoding.name())
                .element("MaxUploads", Integer.toString(query.maxUploads()))
                .element("IsTruncated", Boolean.toString(page.next().isPresent()));
        page.uploads().forEach(upload -> upload(xml, bucket, encoding, upload));
        for (String prefix : page.prefixes()) {
            xml.open("CommonPrefixes")
                    .element("Prefix", encoding.encode(bucket.toClient(prefix)))
                    .close();
        }
        return xml;
    }

    private static void upload(XmlWriter xml, BucketView bucket, EncodingType encoding, ListedUpload upload) {
        xml.open("Upload")
                .element(
                        "Key",
                        encoding.encode(
                                bucket.toClient(upload.upload().object().key().value())))
                .element("UploadId", upload.upload().uploadId());
        MultipartListingElements.owner(xml, "Initiator", MultipartListingElements.OWNER);
        MultipartListingElements.owner(xml, "Owner", MultipartListingElements.OWNER);
        xml.element("StorageClass", upload.storageClass())
                .element("Initiated", XmlTimestamp.format(upload.initiated()));
        MultipartListingElements.checksumSettings(xml, upload.headers());
        xml.close();
    }
}
