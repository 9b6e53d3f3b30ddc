package io.millrace.gateway.multipart;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.MultipartUploads;
import io.millrace.backend.spi.MultipartUploads.NamedPart;
import io.millrace.backend.spi.ObjectWriter.Written;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.gateway.bucket.BackendFields;
import io.millrace.gateway.bucket.Buckets;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.freshness.ObjectWrites;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.gate.S3Handler;
import io.millrace.gateway.http.ChecksumXml;
import io.millrace.gateway.http.ObjectAddress;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Operation;
import io.millrace.gateway.http.XmlDocument;
import io.millrace.gateway.http.XmlElement;
import io.millrace.gateway.http.XmlParser;
import io.millrace.gateway.write.LongWork;
import io.millrace.gateway.write.WriteConditions;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Makes the parts of an upload the object.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html">CompleteMultipartUpload</a>
 */
public final class CompleteMultipartUpload implements S3Handler {
    private final Buckets buckets;
    private final ObjectWrites writes;

    public CompleteMultipartUpload(Buckets buckets, ObjectWrites writes) {
        this.buckets = buckets;
        this.writes = writes;
    }

    @Override
    public S3Operation operation() {
        return S3Operation.COMPLETE_MULTIPART_UPLOAD;
    }

    @Override
    public Mono<S3Answer> handle(Admission admission) {
        UploadTarget target = UploadTarget.of(admission, buckets);
        WriteCondition condition = WriteConditions.of(admission.request().headers());
        // The checksums here are of the object, not of the document that comes with it.
        HeaderList fields = BackendFields.amz(admission, target.bucket(), false);
        return admission.withUncheckedDocument(XmlParser.MAX_BYTES, document -> {
            List<NamedPart> parts = parts(XmlParser.parse(document, "CompleteMultipartUpload"));
            return LongWork.answer(admission, complete(admission, target, parts, fields, condition));
        });
    }

    private Mono<S3Answer> complete(
            Admission admission,
            UploadTarget target,
            List<NamedPart> parts,
            HeaderList fields,
            WriteCondition condition) {
        Mono<Written> completion = target.bucket().backend().completeUpload(target.upload(), parts, fields, condition);
        return writes.fenced(target.bucket(), target.upload().object(), completion)
                .map(written -> answer(admission, written));
    }

    private static List<NamedPart> parts(XmlElement document) {
        List<XmlElement> parts = document.all("Part");
        if (parts.isEmpty() || parts.size() > MultipartUploads.MAX_PARTS) {
            throw malformed();
        }
        List<NamedPart> named = new ArrayList<>();
        for (XmlElement part : parts) {
            named.add(part(part));
        }
        return named;
    }

    private static NamedPart part(XmlElement part) {
        try {
            int number = Integer.parseInt(part.textOf("PartNumber").orElse("").strip());
            String tag = part.textOf("ETag").orElseThrow(CompleteMultipartUpload::malformed);
            return new NamedPart(number, ETag.parse(tag), ChecksumXml.read(part));
        } catch (NumberFormatException noNumber) {
            throw malformed();
        }
    }

    private static S3Answer answer(Admission admission, Written written) {
        XmlDocument xml = XmlDocument.of("CompleteMultipartUploadResult")
                .element("Location", ObjectAddress.of(admission.request(), admission.bucket(), admission.key()))
                .element("Bucket", admission.bucket().value())
                .element("Key", admission.key().value())
                .element("ETag", written.eTag().map(ETag::toString));
        ChecksumXml.write(xml, written.headers());
        return S3Answer.xml(200, ChecksumXml.others(written.headers()), xml.bytes());
    }

    private static S3Exception malformed() {
        return new S3Exception(S3ErrorCode.MALFORMED_XML);
    }
}
