package io.millrace.gateway.write;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.gateway.http.ChecksumXml;
import io.millrace.gateway.http.S3Answer;
import io.millrace.gateway.http.S3Time;
import io.millrace.gateway.http.XmlDocument;
import java.time.Instant;
import java.util.Optional;

/** What copies are answered. */
public final class CopyAnswers {
    private CopyAnswers() {}

    /** The answer to a copy that was made. */
    public static S3Answer of(String root, Optional<ETag> tag, Optional<Instant> lastModified, HeaderList told) {
        XmlDocument xml = XmlDocument.of(root)
                .element("LastModified", S3Time.format(lastModified.orElseGet(Instant::now)))
                .element("ETag", tag.map(ETag::toString));
        ChecksumXml.write(xml, told);
        return S3Answer.xml(200, ChecksumXml.others(told), xml.bytes());
    }
}
