package io.millrace.backend.s3;

import io.millrace.backend.s3.Road.Manner;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.HeaderList.Field;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.PartPage;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.MultipartUploads.UploadMarker;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.MultipartUploads.UploadQuery;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.spi.ObjectRef;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Lists uploads and their parts: ListMultipartUploads and ListParts. */
final class S3UploadLister {
    private final S3Client client;
    private final Failures failures;

    S3UploadLister(S3Client client) {
        this.client = client;
        this.failures = new Failures(client.origin());
    }

    Mono<PartPage> parts(Upload upload, int after, int maxParts) {
        Asked asked = Asked.parts(upload);
        WireRequest request = WireRequest.of(SdkHttpMethod.GET, upload.object())
                .asking("uploadId", upload.uploadId())
                .asking("max-parts", String.valueOf(maxParts))
                .askingSome("part-number-marker", after == 0 ? "" : String.valueOf(after));
        return client.exchange(request, Manner.REPEATABLE)
                .map(reply -> partPage(reply, maxParts))
                .onErrorMap(failure -> failures.of(asked, failure));
    }

    Mono<UploadPage> uploads(UploadQuery query) {
        Asked asked = Asked.list("list of the uploads of bucket " + query.bucket());
        ListStart start = ListStart.of(query.prefix(), query.keyMarker(), query.maxUploads());
        WireRequest request = WireRequest.of(SdkHttpMethod.GET, query.bucket())
                .asking("uploads", "")
                .asking("encoding-type", "url")
                .asking("max-uploads", String.valueOf(start.maxEntries()))
                .askingSome("prefix", query.prefix())
                .askingSome("delimiter", query.delimiter())
                .askingSome("key-marker", start.marker())
                .askingSome("upload-id-marker", start.with(query.uploadIdMarker()));
        return client.exchange(request, Manner.REPEATABLE)
                .map(reply -> uploadPage(reply, query.bucket(), start))
                .onErrorMap(failure -> failures.of(asked, failure));
    }

    private static PartPage partPage(Reply reply, int maxParts) {
        XmlElement page = XmlElement.read(reply.bytes(), "ListPartsResult");
        List<ListedPart> parts = maxParts == 0
                ? List.of()
                : page.all("Part").map(S3UploadLister::part).toList();
        return new PartPage(
                parts,
                page.textOf("StorageClass").orElse("STANDARD"),
                headers(reply, page),
                page.isTrue("IsTruncated") && !parts.isEmpty()
                        ? Optional.of(parts.get(parts.size() - 1).number())
                        : Optional.empty());
    }

    private static HeaderList headers(Reply reply, XmlElement page) {
        List<Field> fields = new ArrayList<>(WriteAnswer.checksums(page).fields());
        reply.told().fields().stream()
                .filter(field -> field.name().startsWith("x-amz-abort-"))
                .forEach(fields::add);
        return new HeaderList(fields);
    }

    private static ListedPart part(XmlElement part) {
        return new ListedPart(
                (int) XmlNames.number(part.requiredTextOf("PartNumber")),
                ETag.parse(part.requiredTextOf("ETag")),
                XmlNames.number(part.requiredTextOf("Size")),
                WriteAnswer.time(part.requiredTextOf("LastModified")),
                WriteAnswer.checksums(part));
    }

    private static UploadPage uploadPage(Reply reply, BucketName bucket, ListStart start) {
        if (start.maxEntries() == 0) {
            return new UploadPage(List.of(), List.of(), Optional.empty());
        }
        XmlElement page = XmlElement.read(reply.bytes(), "ListMultipartUploadsResult");
        XmlNames names = XmlNames.of(page);
        List<ListedUpload> uploads =
                page.all("Upload").map(upload -> upload(upload, names, bucket)).toList();
        List<String> prefixes = names.prefixes(page);
        return new UploadPage(
                uploads,
                prefixes,
                page.isTrue("IsTruncated") ? Optional.of(next(page, names, uploads, prefixes)) : Optional.empty());
    }

    /** There are servers that do not say it; then a page ends with its last name. */
    private static UploadMarker next(
            XmlElement page, XmlNames names, List<ListedUpload> uploads, List<String> prefixes) {
        if (page.textOf("NextKeyMarker").isPresent()) {
            String id = page.textOf("NextUploadIdMarker").orElse("");
            return new UploadMarker(names.required(page, "NextKeyMarker"), id);
        }
        Optional<Upload> last = uploads.stream().map(ListedUpload::upload).reduce((one, next) -> next);
        String lastKey = last.map(upload -> upload.object().key().value()).orElse("");
        String lastPrefix = prefixes.stream().max(ObjectKey.UTF8_ORDER).orElse("");
        if (last.isEmpty() && lastPrefix.isEmpty()) {
            throw XmlElement.broken("a truncated page with nothing on it");
        }
        return last.isPresent() && ObjectKey.UTF8_ORDER.compare(lastKey, lastPrefix) > 0
                ? new UploadMarker(lastKey, last.get().uploadId())
                : new UploadMarker(lastPrefix, "");
    }

    private static ListedUpload upload(XmlElement upload, XmlNames names, BucketName bucket) {
        return new ListedUpload(
                new Upload(new ObjectRef(bucket, names.key(upload)), upload.requiredTextOf("UploadId")),
                WriteAnswer.time(upload.requiredTextOf("Initiated")),
                upload.textOf("StorageClass").orElse("STANDARD"),
                WriteAnswer.checksums(upload));
    }
}
