package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.objects.write.ChecksumXml;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.protocol.XmlTimestamp;
import io.millrace.kit.XmlWriter;
import java.time.Instant;
import java.util.Optional;

/** Builds the responses to CopyObject and UploadPartCopy, which have a document. */
final class CopyResponses {
    private CopyResponses() {}

    /** Returns the response to a successful copy. */
    static S3Response of(String root, Optional<ETag> tag, Optional<Instant> lastModified, HeaderList headers) {
        XmlWriter xml = XmlWriter.of(root)
                .element("LastModified", XmlTimestamp.format(lastModified.orElseGet(Instant::now)))
                .element("ETag", tag.map(ETag::toString));
        ChecksumXml.write(xml, headers);
        return S3Response.xml(200, ChecksumXml.others(headers), xml.bytes());
    }
}
