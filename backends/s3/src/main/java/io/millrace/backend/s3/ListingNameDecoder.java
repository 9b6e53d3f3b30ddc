package io.millrace.backend.s3;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Reads keys and prefixes from the XML of a listing, and decodes them if its {@code EncodingType} is {@code url}.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html">encoding-type</a>
 */
record ListingNameDecoder(boolean encoded) {
    static ListingNameDecoder of(XmlElement page) {
        return new ListingNameDecoder(
                page.nonEmptyTextOf("EncodingType").filter("url"::equals).isPresent());
    }

    ObjectKey key(XmlElement entry) {
        try {
            return new ObjectKey(required(entry, "Key"));
        } catch (IllegalArgumentException e) {
            throw new XmlException("a name that is not a key: " + e.getMessage());
        }
    }

    /** Returns the common prefixes of a listing. */
    List<String> prefixes(XmlElement page) {
        return page.all("CommonPrefixes")
                .map(prefix -> required(prefix, "Prefix"))
                .toList();
    }

    String required(XmlElement element, String child) {
        String text = element.requiredTextOf(child);
        if (!encoded) {
            return text;
        }
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new XmlException("%s is not percent-encoded: %s".formatted(child, text));
        }
    }

    static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new XmlException("not a number: " + text);
        }
    }
}
