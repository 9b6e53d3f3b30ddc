package io.millrace.gateway.xml;

import io.millrace.auth.sigv4.UriEncoding;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.util.stream.Collectors;

/** Tags in documents. */
public final class TagSetXml {
    private TagSetXml() {}

    /**
     * The tags of a document as {@code x-amz-tagging} writes them: parameters of a query.
     *
     * @throws S3Exception MalformedXML if it holds no tags
     */
    public static String parameters(byte[] document) {
        return XmlParser.parse(document, "Tagging").first("TagSet").stream()
                .flatMap(set -> set.all("Tag").stream())
                .map(tag -> UriEncoding.ofQuery(tag.textOf("Key").orElseThrow(TagSetXml::noTag)) + "="
                        + UriEncoding.ofQuery(tag.textOf("Value").orElse("")))
                .collect(Collectors.joining("&"));
    }

    private static S3Exception noTag() {
        return new S3Exception(S3ErrorCode.MALFORMED_XML);
    }
}
