package io.millrace.backend.s3;

import io.millrace.backend.spi.ObjectKey;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The names in a listing, which are percent-encoded if it says so.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html">encoding-type</a>
 */
record XmlNames(boolean encoded) {
    static XmlNames of(XmlElement page) {
        return new XmlNames(page.textOf("EncodingType").filter("url"::equals).isPresent());
    }

    ObjectKey key(XmlElement entry) {
        try {
            return new ObjectKey(required(entry, "Key"));
        } catch (IllegalArgumentException e) {
            throw XmlElement.broken("a name that is no key: " + e.getMessage());
        }
    }

    /** What the keys of a listing were rolled up to. */
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
            throw XmlElement.broken("%s is not percent-encoded: %s".formatted(child, text));
        }
    }

    static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw XmlElement.broken("no number: " + text);
        }
    }
}
