package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketRegistry;
import io.millrace.gateway.objects.write.ChecksumXml;
import io.millrace.gateway.objects.write.FencedWrites;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.gate.S3Handler;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlParser;
import io.millrace.kit.XmlWriter;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Completes a multipart upload: its parts become the object.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html">
 *     CompleteMultipartUpload</a>
 */
record CompleteMultipartUpload(BucketRegistry buckets, FencedWrites writes) implements S3Handler {
    @Override
    public Mono<S3Response> handle(AuthorizedRequest authorized) {
        UploadReference target = UploadReference.of(authorized, buckets);
        WriteCondition condition = WriteConditionParser.of(authorized.request().headers());
        // The checksums here are those of the object, not of the document.
        HeaderList fields = ForwardedHeaders.amz(authorized, target.bucket(), false);
        return authorized.withUncheckedDocument(XmlParser.MAX_BYTES, document -> {
            List<CompletedPart> parts = parts(XmlParser.parse(document, "CompleteMultipartUpload"));
            return WhitespaceKeepAliveResponse.response(
                    authorized, complete(authorized, target, parts, fields, condition));
        });
    }

    private Mono<S3Response> complete(
            AuthorizedRequest authorized,
            UploadReference target,
            List<CompletedPart> parts,
            HeaderList fields,
            WriteCondition condition) {
        Mono<WriteResult> completion =
                target.bucket().backend().completeUpload(target.upload(), parts, fields, condition);
        return writes.fenced(target.bucket(), target.upload().object(), completion)
                .map(written -> response(authorized, written));
    }

    private static List<CompletedPart> parts(XmlElement document) {
        List<XmlElement> parts = document.all("Part").toList();
        if (parts.isEmpty() || parts.size() > MultipartUploads.MAX_PARTS) {
            throw malformed();
        }
        List<CompletedPart> named = new ArrayList<>();
        for (XmlElement part : parts) {
            named.add(part(part));
        }
        return named;
    }

    private static CompletedPart part(XmlElement part) {
        try {
            int number = Integer.parseInt(part.textOf("PartNumber").orElse("").strip());
            String tag = part.textOf("ETag").orElseThrow(CompleteMultipartUpload::malformed);
            return new CompletedPart(number, ETag.parse(tag), ChecksumXml.read(part));
        } catch (NumberFormatException noNumber) {
            throw malformed();
        }
    }

    private static S3Response response(AuthorizedRequest authorized, WriteResult written) {
        XmlWriter xml = XmlWriter.of("CompleteMultipartUploadResult")
                .element("Location", ObjectUrl.of(authorized.request(), authorized.bucket(), authorized.key()))
                .element("Bucket", authorized.bucket().value())
                .element("Key", authorized.key().value())
                .element("ETag", written.eTag().map(ETag::toString));
        ChecksumXml.write(xml, written.headers());
        return S3Response.xml(200, ChecksumXml.others(written.headers()), xml.bytes());
    }

    private static S3Exception malformed() {
        return new S3Exception(S3ErrorCode.MALFORMED_XML);
    }
}
