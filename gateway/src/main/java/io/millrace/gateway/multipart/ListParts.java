package io.millrace.gateway.multipart;

import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.MultipartUploads.PartPage;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.ChecksumXml;
import io.millrace.gateway.http.NumberParameter;
import io.millrace.gateway.http.RequestTarget;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.S3Time;
import io.millrace.gateway.http.XmlDocument;
import reactor.core.publisher.Mono;

/**
 * The parts that an upload has, page by page.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListParts.html">ListParts</a>
 */
public final class ListParts implements S3Handler {
    private static final int MAX_PARTS = 1000;

    private final Buckets buckets;

    public ListParts(Buckets buckets) {
        this.buckets = buckets;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.LIST_PARTS;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        UploadTarget target = UploadTarget.of(admission, buckets);
        RequestTarget request = admission.request().target();
        int most = NumberParameter.of(request, "max-parts", MAX_PARTS, MAX_PARTS);
        int after = NumberParameter.of(request, "part-number-marker", 0, Integer.MAX_VALUE);
        return target.bucket()
                .backend()
                .listParts(target.upload(), after, most)
                .map(page -> answer(admission, target, page, after, most));
    }

    private static S3Answer answer(Admission admission, UploadTarget target, PartPage page, int after, int most) {
        XmlDocument xml = XmlDocument.of("ListPartsResult")
                .element("Bucket", admission.bucket().value())
                .element("Key", admission.key().value())
                .element("UploadId", target.upload().uploadId());
        ListPage.Owner owner = UploadXml.OWNER;
        UploadXml.owner(xml, "Initiator", owner);
        UploadXml.owner(xml, "Owner", owner);
        xml.element("StorageClass", page.storageClass())
                .element("PartNumberMarker", Integer.toString(after))
                .element("NextPartNumberMarker", page.next().map(Object::toString))
                .element("MaxParts", Integer.toString(most))
                .element("IsTruncated", Boolean.toString(page.next().isPresent()));
        UploadXml.checksumSettings(xml, page.headers());
        page.parts().forEach(part -> part(xml, part));
        return S3Answer.xml(200, UploadXml.others(page.headers()), xml.bytes());
    }

    private static void part(XmlDocument xml, ListedPart part) {
        xml.open("Part")
                .element("PartNumber", Integer.toString(part.number()))
                .element("LastModified", S3Time.format(part.lastModified()))
                .element("ETag", part.eTag().toString())
                .element("Size", Long.toString(part.size()));
        ChecksumXml.write(xml, part.checksums());
        xml.close();
    }
}
