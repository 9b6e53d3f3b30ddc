package io.millrace.backend.s3;

import io.millrace.backend.http.AcknowledgementCheck;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.s3.S3RequestExecutor.ProcessingTime;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.PartPage;
import io.millrace.backend.spi.MultipartUploads.UploadMarker;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlException;
import io.millrace.kit.XmlParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Lists multipart uploads and their parts: ListMultipartUploads and ListParts. */
record S3UploadLister(S3Client client) {
    Mono<PartPage> parts(MultipartUpload upload, int after, int maxParts) {
        ErrorResponseContext context = ErrorResponseContext.parts(upload);
        UnsignedRequest request = UnsignedRequest.of(SdkHttpMethod.GET, upload.object())
                .withParameter("uploadId", upload.uploadId())
                .withParameter("max-parts", String.valueOf(maxParts))
                .withNonEmptyParameter("part-number-marker", after == 0 ? "" : String.valueOf(after));
        return client.exchange(request, ProcessingTime.SHORT)
                .map(reply -> partPage(reply, maxParts))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    Mono<UploadPage> uploads(ListUploadsRequest query) {
        ErrorResponseContext context = ErrorResponseContext.list("list of the uploads of bucket " + query.bucket());
        AdjustedListStart start = AdjustedListStart.of(query.prefix(), query.keyMarker(), query.maxUploads());
        UnsignedRequest uploads =
                UnsignedRequest.of(SdkHttpMethod.GET, query.bucket()).withParameter("uploads", "");
        UnsignedRequest request = start.addTo(uploads, "max-uploads", query.prefix(), query.delimiter())
                .withNonEmptyParameter("key-marker", start.marker())
                .withNonEmptyParameter("upload-id-marker", start.with(query.uploadIdMarker()));
        return client.exchange(request, ProcessingTime.SHORT)
                .map(reply -> uploadPage(reply, query.bucket(), start))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    private static PartPage partPage(BufferedResponse reply, int maxParts) {
        XmlElement page = XmlParser.parseIgnoringKeys(reply.bytes(), "ListPartsResult");
        List<ListedPart> parts = maxParts == 0
                ? List.of()
                : page.all("Part").map(S3UploadLister::part).toList();
        return new PartPage(
                parts,
                page.nonEmptyTextOf("StorageClass").orElse("STANDARD"),
                headers(reply, page),
                page.isTrue("IsTruncated") && maxParts > 0 ? Optional.of(next(page, parts)) : Optional.empty());
    }

    /** Returns the number of the last part of the page; the server tells it for a page with nothing on it. */
    private static int next(XmlElement page, List<ListedPart> parts) {
        return parts.isEmpty()
                ? (int) ListingNameDecoder.number(page.requiredTextOf("NextPartNumberMarker"))
                : parts.get(parts.size() - 1).number();
    }

    private static HeaderList headers(BufferedResponse reply, XmlElement page) {
        List<HeaderField> fields =
                new ArrayList<>(WriteResponseParser.checksums(page).fields());
        ForwardedResponseHeaders.of(reply.fields()).fields().stream()
                .filter(field -> field.name().startsWith("x-amz-abort-"))
                .forEach(fields::add);
        return new HeaderList(fields);
    }

    private static ListedPart part(XmlElement part) {
        return new ListedPart(
                (int) ListingNameDecoder.number(part.requiredTextOf("PartNumber")),
                ETag.parse(part.requiredTextOf("ETag")),
                ListingNameDecoder.number(part.requiredTextOf("Size")),
                WriteResponseParser.time(part.requiredTextOf("LastModified")),
                WriteResponseParser.checksums(part));
    }

    private static UploadPage uploadPage(BufferedResponse reply, BucketName bucket, AdjustedListStart start) {
        if (start.maxEntries() == 0) {
            AcknowledgementCheck.requireNoPage(reply);
            return new UploadPage(List.of(), List.of(), Optional.empty());
        }
        XmlElement page = XmlParser.parse(reply.bytes(), "ListMultipartUploadsResult");
        ListingNameDecoder names = ListingNameDecoder.of(page);
        List<ListedUpload> uploads =
                page.all("Upload").map(upload -> upload(upload, names, bucket)).toList();
        List<String> prefixes = names.prefixes(page);
        return new UploadPage(
                uploads,
                prefixes,
                page.isTrue("IsTruncated") ? Optional.of(next(page, names, uploads, prefixes)) : Optional.empty());
    }

    /** Returns the next markers; some servers omit them, then the page ends with its last name. */
    private static UploadMarker next(
            XmlElement page, ListingNameDecoder names, List<ListedUpload> uploads, List<String> prefixes) {
        if (page.nonEmptyTextOf("NextKeyMarker").isPresent()) {
            String id = page.nonEmptyTextOf("NextUploadIdMarker").orElse("");
            return new UploadMarker(names.required(page, "NextKeyMarker"), id);
        }
        Optional<MultipartUpload> last =
                uploads.stream().map(ListedUpload::upload).reduce((one, next) -> next);
        String lastKey = last.map(upload -> upload.object().key().value()).orElse("");
        String lastPrefix = prefixes.stream().max(ObjectKey.UTF8_ORDER).orElse("");
        if (last.isEmpty() && lastPrefix.isEmpty()) {
            throw new XmlException("a truncated page with nothing on it");
        }
        return last.isPresent() && ObjectKey.UTF8_ORDER.compare(lastKey, lastPrefix) > 0
                ? new UploadMarker(lastKey, last.get().uploadId())
                : new UploadMarker(lastPrefix, "");
    }

    private static ListedUpload upload(XmlElement upload, ListingNameDecoder names, BucketName bucket) {
        return new ListedUpload(
                new MultipartUpload(new ObjectRef(bucket, names.key(upload)), upload.requiredTextOf("UploadId")),
                WriteResponseParser.time(upload.requiredTextOf("Initiated")),
                upload.nonEmptyTextOf("StorageClass").orElse("STANDARD"),
                WriteResponseParser.checksums(upload));
    }
}
