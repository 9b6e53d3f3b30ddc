package io.millrace.gateway.s3.write;

import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.s3.protocol.S3Response;
import io.millrace.gateway.s3.protocol.S3Time;
import io.millrace.gateway.xml.ChecksumXml;
import io.millrace.gateway.xml.XmlWriter;
import java.time.Instant;
import java.util.Optional;

/** What copies are answered. */
public final class CopyResponses {
    private CopyResponses() {}

    /** The answer to a copy that was made. */
    public static S3Response of(String root, Optional<ETag> tag, Optional<Instant> lastModified, HeaderList told) {
        XmlWriter xml = XmlWriter.of(root)
                .element("LastModified", S3Time.format(lastModified.orElseGet(Instant::now)))
                .element("ETag", tag.map(ETag::toString));
        ChecksumXml.write(xml, told);
        return S3Response.xml(200, ChecksumXml.others(told), xml.bytes());
    }
}
