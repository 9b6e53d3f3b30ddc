package io.millrace.gateway.s3.configuration;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.ChecksumXml;
import io.millrace.gateway.s3.gate.AuthorizedRequest;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.kit.HttpDate;
import io.millrace.kit.XmlWriter;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import reactor.core.publisher.Mono;

/**
 * Returns the attributes of an object, computed from a HEAD to the backend.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html">GetObjectAttributes</a>
 */
final class GetObjectAttributes {
    private static final Set<String> KNOWN = Set.of("ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize");

    private GetObjectAttributes() {}

    static Mono<S3Response> of(AuthorizedRequest authorized, BucketView bucket) {
        Set<String> wanted = wanted(authorized);
        Optional<String> version =
                bucket.versionId(authorized.request().target().parameter("versionId"));
        ReadRequest request = ReadRequest.of(bucket.at(authorized.key())).withChecksums();
        return bucket.backend()
                .head(version.map(request::withVersionId).orElse(request))
                .map(found -> response(found.head(), wanted));
    }

    private static Set<String> wanted(AuthorizedRequest authorized) {
        String listed = String.join(",", authorized.request().headers().all("x-amz-object-attributes"));
        Set<String> wanted =
                Arrays.stream(listed.split(",", -1)).map(String::strip).collect(Collectors.toSet());
        if (!KNOWN.containsAll(wanted)) {
            throw new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "Invalid attribute name specified.")
                    .with("ArgumentName", "x-amz-object-attributes")
                    .with("ArgumentValue", listed);
        }
        return wanted;
    }

    private static S3Response response(ObjectHead head, Set<String> wanted) {
        XmlWriter xml = XmlWriter.of("GetObjectAttributesResponse");
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
        return S3Response.xml(200, fields, xml.bytes());
    }
}
