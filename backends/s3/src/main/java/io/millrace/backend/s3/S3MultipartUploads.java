package io.millrace.backend.s3;

import io.millrace.backend.http.AcknowledgementCheck;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.s3.S3RequestExecutor.ProcessingTime;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.CompletedPart;
import io.millrace.backend.spi.MultipartUploads.CreatedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.ObjectWriter.CopySource;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ObjectWriter.WriteResult;
import io.millrace.backend.spi.UploadBody;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlWriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import reactor.core.publisher.Mono;
import software.amazon.awssdk.http.SdkHttpMethod;

/**
 * Sends the requests of multipart uploads to the S3 server: CreateMultipartUpload, UploadPart, UploadPartCopy,
 * CompleteMultipartUpload and AbortMultipartUpload.
 */
record S3MultipartUploads(S3Client client, ConditionalWritePolicy conditions) implements MultipartUploads {
    @Override
    public Mono<CreatedUpload> createUpload(NewObject object) {
        ErrorResponseContext context = ErrorResponseContext.write("creation of an upload of", object.object());
        UnsignedRequest request = UnsignedRequest.of(SdkHttpMethod.POST, object.object())
                .withParameter("uploads", "")
                .with(WriteHeaderBuilder.of(object.headers(), object.condition()));
        return client.exchange(request, ProcessingTime.SHORT)
                .map(reply -> begun(object, reply))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    @Override
    public Mono<StoredPart> putPart(MultipartUpload upload, int number, HeaderList headers, UploadBody body) {
        ErrorResponseContext context = ErrorResponseContext.write("PUT of part %d".formatted(number), upload);
        return client.upload(
                        part(upload, number).with(headers),
                        body,
                        failure -> client.failures().map(context, failure))
                .flatMap(reply -> client.failures().read(context, () -> stored(number, reply)));
    }

    @Override
    public Mono<StoredPart> copyPart(
            MultipartUpload upload, int number, CopySource source, Optional<ByteRange> range, HeaderList headers) {
        ErrorResponseContext context = ErrorResponseContext.write("copy to part %d".formatted(number), upload);
        Optional<String> bytes = range.map(asking -> "bytes=%d-%d".formatted(asking.first(), asking.last()));
        UnsignedRequest request = part(upload, number).with(WriteHeaderBuilder.of(headers, source, bytes));
        return client.exchange(request, ProcessingTime.LONG)
                .map(reply -> copied(number, reply))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    @Override
    public Mono<WriteResult> completeUpload(
            MultipartUpload upload, List<CompletedPart> parts, HeaderList headers, WriteCondition condition) {
        ErrorResponseContext context = ErrorResponseContext.write("completion", upload);
        UnsignedRequest request = of(SdkHttpMethod.POST, upload)
                .with(WriteHeaderBuilder.of(headers.with("content-type", "application/xml"), condition))
                .with(document(parts));
        return conditions
                .requireHonoured(
                        ConditionalOperation.COMPLETE,
                        condition,
                        upload.object().bucket())
                .then(client.exchange(request, ProcessingTime.LONG))
                .map(reply -> WriteResponseParser.read(reply, "CompleteMultipartUploadResult"))
                .onErrorMap(failure -> client.failures().map(context, failure));
    }

    @Override
    public Mono<Void> abortUpload(MultipartUpload upload, HeaderList headers) {
        ErrorResponseContext context = ErrorResponseContext.write("abort", upload);
        boolean conditional = headers.first("x-amz-if-match-initiated-time").isPresent();
        return conditions
                .requireHonouredDelete(
                        WriteCondition.ALWAYS, conditional, upload.object().bucket())
                .then(client.exchange(of(SdkHttpMethod.DELETE, upload).with(headers), ProcessingTime.SHORT))
                .map(AcknowledgementCheck::requireEmpty)
                .onErrorMap(failure -> client.failures().map(context, failure))
                .then();
    }

    @Override
    public Mono<PartPage> listParts(MultipartUpload upload, int after, int maxParts) {
        return new S3UploadLister(client).parts(upload, after, maxParts);
    }

    @Override
    public Mono<UploadPage> listUploads(ListUploadsRequest query) {
        return new S3UploadLister(client).uploads(query);
    }

    private static UnsignedRequest of(SdkHttpMethod method, MultipartUpload upload) {
        return UnsignedRequest.of(method, upload.object()).withParameter("uploadId", upload.uploadId());
    }

    private static UnsignedRequest part(MultipartUpload upload, int number) {
        return of(SdkHttpMethod.PUT, upload).withParameter("partNumber", String.valueOf(number));
    }

    private static CreatedUpload begun(NewObject object, BufferedResponse reply) {
        XmlElement result = WriteResponseParser.acknowledgement(reply, "InitiateMultipartUploadResult");
        return new CreatedUpload(
                new MultipartUpload(object.object(), result.requiredTextOf("UploadId")),
                ForwardedResponseHeaders.of(reply.fields()));
    }

    /** Some servers respond as to CopyObject. */
    private static StoredPart copied(int number, BufferedResponse reply) {
        WriteResult written = WriteResponseParser.read(reply, "CopyPartResult", "CopyObjectResult");
        return new StoredPart(number, written.eTag().orElseThrow(), written.headers(), written.lastModified());
    }

    private static StoredPart stored(int number, BufferedResponse reply) {
        return new StoredPart(
                number,
                WriteResponseParser.tag(reply.header("etag")),
                ForwardedResponseHeaders.of(reply.fields()),
                Optional.empty());
    }

    private static ByteBuffer document(List<CompletedPart> parts) {
        XmlWriter xml = XmlWriter.of("CompleteMultipartUpload");
        for (CompletedPart part : parts) {
            xml.open("Part").element("ETag", part.eTag().toString());
            part.checksums()
                    .fields()
                    .forEach(sum -> xml.element(WriteResponseParser.checksumElement(sum.name()), sum.value()));
            xml.element("PartNumber", String.valueOf(part.number())).close();
        }
        return xml.bytes();
    }
}
