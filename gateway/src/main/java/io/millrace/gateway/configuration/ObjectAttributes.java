package io.millrace.gateway.configuration;

import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.gateway.bucket.BucketView;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.gate.Admission;
import io.millrace.gateway.http.ChecksumXml;
import io.millrace.gateway.http.HttpDate;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.XmlDocument;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import reactor.core.publisher.Mono;

/**
 * The attributes of an object, out of what its backend tells of it.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html">GetObjectAttributes</a>
 */
final class ObjectAttributes {
    private static final Set<String> KNOWN = Set.of("ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize");

    private ObjectAttributes() {}

    static Mono<S3Answer> of(Admission admission, BucketView bucket) {
        Set<String> wanted = wanted(admission);
        Optional<String> version = bucket.versionId(admission.request().target().parameter("versionId"));
        ReadRequest asked = ReadRequest.of(bucket.at(admission.key())).withChecksums();
        return bucket.backend()
                .head(version.map(asked::ofVersion).orElse(asked))
                .map(found -> answer(found.head(), wanted));
    }

    private static Set<String> wanted(Admission admission) {
        String listed = String.join(",", admission.request().headers().all("x-amz-object-attributes"));
        Set<String> wanted =
                Arrays.stream(listed.split(",", -1)).map(String::strip).collect(Collectors.toSet());
        if (!KNOWN.containsAll(wanted)) {
            throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "Invalid attribute name specified.")
                    .with("ArgumentName", "x-amz-object-attributes")
                    .with("ArgumentValue", listed);
        }
        return wanted;
    }

    private static S3Answer answer(ObjectHead head, Set<String> wanted) {
        XmlDocument xml = XmlDocument.of("GetObjectAttributesResponse");
        if (wanted.contains("ETag")) {
            xml.element("ETag", head.eTag().map(tag -> tag.opaque()));
        }
        if (wanted.contains("Checksum") && ChecksumXml.any(head.headers())) {
            xml.open("Checksum");
            ChecksumXml.write(xml, head.headers());
            xml.close();
        }
        Optional<String> parts = head.headers().first("x-amz-mp-parts-count");
        if (wanted.contains("ObjectParts") && parts.isPresent()) {
            xml.open("ObjectParts").element("PartsCount", parts.get()).close();
        }
        if (wanted.contains("StorageClass")) {
            xml.element(
                    "StorageClass", head.headers().first("x-amz-storage-class").orElse("STANDARD"));
        }
        if (wanted.contains("ObjectSize")) {
            xml.element("ObjectSize", Long.toString(head.size()));
        }
        HeaderList fields = head.lastModified()
                .map(time -> HeaderList.EMPTY.with("last-modified", HttpDate.format(time)))
                .orElse(HeaderList.EMPTY);
        return S3Answer.xml(200, fields, xml.bytes());
    }
}
