package io.millrace.backend.s3;

import io.millrace.backend.s3.Road.Manner;
import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads.Begun;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.Upload;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/** Uploads in parts: CreateMultipartUpload, UploadPart, UploadPartCopy, CompleteMultipartUpload and AbortMultipartUpload. */
final class S3Uploads {
    private final S3Client client;
    private final ConditionalWrites conditions;
    private final Failures failures;

    S3Uploads(S3Client client, ConditionalWrites conditions) {
        this.client = client;
        this.conditions = conditions;
        this.failures = new Failures(client.origin());
    }

    Mono<Begun> create(NewObject object) {
        Asked asked = Asked.write("beginning of an upload of", object.object());
        WireRequest request = WireRequest.of(SdkHttpMethod.POST, object.object())
                .asking("uploads", "")
                .with(WriteHeaders.of(object.headers(), object.condition()));
        return client.exchange(request, Manner.ONCE)
                .map(reply -> begun(object, reply))
                .onErrorMap(failure -> failures.of(asked, failure));
    }

    Mono<StoredPart> put(Upload upload, int number, HeaderList headers, UploadBody body) {
        Asked asked = Asked.write("PUT of part %d".formatted(number), upload);
        return client.upload(part(upload, number).with(headers), body, failure -> failures.of(asked, failure))
                .flatMap(reply -> failures.placing(asked, () -> stored(number, reply)));
    }

    Mono<StoredPart> copy(Upload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        Asked asked = Asked.write("copy to part %d".formatted(number), upload);
        Optional<String> bytes = range.map(asking -> "bytes=%d-%d".formatted(asking.first(), asking.last()));
        WireRequest request = part(upload, number).with(WriteHeaders.of(headers, source, bytes));
        return client.exchange(request, Manner.ONCE_AND_LONG)
                .map(reply -> copied(number, reply))
                .onErrorMap(failure -> failures.of(asked, failure));
    }

    Mono<Written> complete(Upload upload, List<NamedPart> parts, HeaderList headers, WriteCondition condition) {
        Asked asked = Asked.write("completion", upload);
        WireRequest request = of(SdkHttpMethod.POST, upload)
                .with(WriteHeaders.of(headers.with("content-type", "application/xml"), condition))
                .with(document(parts));
        return conditions
                .allow(ConditionalWrite.COMPLETE, condition, upload.object().bucket())
                .then(client.exchange(request, Manner.ONCE_AND_LONG))
                .map(reply -> WriteAnswer.of(reply, "CompleteMultipartUploadResult"))
                .onErrorMap(failure -> failures.of(asked, failure));
    }

    Mono<Void> abort(Upload upload, HeaderList headers) {
        Asked asked = Asked.write("end", upload);
        boolean conditional = headers.first("x-amz-if-match-initiated-time").isPresent();
        return conditions
                .allowDelete(WriteCondition.ALWAYS, conditional, upload.object().bucket())
                .then(client.exchange(of(SdkHttpMethod.DELETE, upload).with(headers), Manner.REPEATABLE))
                .onErrorMap(failure -> failures.of(asked, failure))
                .then();
    }

    private static WireRequest of(SdkHttpMethod method, Upload upload) {
        return WireRequest.of(method, upload.object()).asking("uploadId", upload.uploadId());
    }

    private static WireRequest part(Upload upload, int number) {
        return of(SdkHttpMethod.PUT, upload).asking("partNumber", String.valueOf(number));
    }

    private static Begun begun(NewObject object, Reply reply) {
        XmlElement result = WriteAnswer.acknowledgement(reply, "InitiateMultipartUploadResult");
        return new Begun(new Upload(object.object(), result.requiredTextOf("UploadId")), reply.told());
    }

    /** There are servers that answer as to a copy of an object. */
    private static StoredPart copied(int number, Reply reply) {
        Written written = WriteAnswer.of(reply, "CopyPartResult", "CopyObjectResult");
        return new StoredPart(number, written.eTag().orElseThrow(), written.headers(), written.lastModified());
    }

    private static StoredPart stored(int number, Reply reply) {
        return new StoredPart(number, WriteAnswer.tag(reply.header("etag")), reply.told(), Optional.empty());
    }

    private static byte[] document(List<NamedPart> parts) {
        XmlText xml = new XmlText("CompleteMultipartUpload");
        for (NamedPart part : parts) {
            xml.open("Part").element("ETag", part.eTag().toString());
            part.checksums().fields().forEach(sum -> xml.element(WriteAnswer.checksumElement(sum.name()), sum.value()));
            xml.element("PartNumber", String.valueOf(part.number())).close("Part");
        }
        return xml.bytes();
    }
}
