package io.millrace.gateway.objects.write;

import io.millrace.auth.UriEncoding;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlException;
import io.millrace.kit.XmlParser;
import java.util.stream.Collectors;

/** Reads tags from XML documents. */
public final class TagSetParser {
    private TagSetParser() {}

    /**
     * Returns the tags of a document in the format of {@code x-amz-tagging}, which is that of query parameters.
     *
     * @throws S3Exception MalformedXML if there are none
     */
    public static String parameters(byte[] document) {
        try {
            return parameters(XmlParser.parse(document, "Tagging"));
        } catch (XmlException e) {
            throw noTag();
        }
    }

    private static String parameters(XmlElement tagging) {
        return tagging.first("TagSet").stream()
                .flatMap(set -> set.all("Tag"))
                .map(tag -> UriEncoding.ofQuery(tag.textOf("Key").orElseThrow(TagSetParser::noTag)) + "="
                        + UriEncoding.ofQuery(tag.textOf("Value").orElse("")))
                .collect(Collectors.joining("&"));
    }

    private static S3Exception noTag() {
        return new S3Exception(S3ErrorCode.MALFORMED_XML);
    }
}
