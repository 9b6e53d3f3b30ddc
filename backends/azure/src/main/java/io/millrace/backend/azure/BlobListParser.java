package io.millrace.backend.azure;

import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.spi.ListPage.ListedChecksums;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.kit.HttpDate;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlException;
import io.millrace.kit.XmlParser;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the service's pages of a listing of blobs. */
final class BlobListParser {
    private BlobListParser() {}

    /**
     * A page of the service.
     *
     * @param entries in the byte order of UTF-8
     * @param next the marker of the next page; empty on the last
     */
    record BlobPage(List<BlobEntry> entries, String next) {
        /** Returns whether the service may order these names differently than UTF-8 does. */
        boolean hasAmbiguousOrder() {
            return entries.stream().anyMatch(entry -> entry.name().chars().anyMatch(c -> c >= Character.MIN_SURROGATE));
        }
    }

    /**
     * An object or a common prefix.
     *
     * @param object null for a common prefix
     */
    record BlobEntry(String name, @Nullable ListedObject object) {}

    static BlobPage read(BufferedResponse reply) {
        XmlElement page = XmlParser.parse(reply.bytes(), "EnumerationResults");
        List<BlobEntry> entries = page.all("Blobs")
                .flatMap(blobs -> blobs.children().stream())
                .flatMap(BlobListParser::entry)
                .sorted(Comparator.comparing(BlobEntry::name, ObjectKey.UTF8_ORDER))
                .toList();
        return new BlobPage(entries, page.nonEmptyTextOf("NextMarker").orElse(""));
    }

    /** Returns the name of a blob or prefix; empty if it has none. */
    static String name(XmlElement entry) {
        XmlElement name = entry.first("Name").orElseThrow(() -> new XmlException("an entry without a name"));
        // A name with characters that XML does not have.
        return "true".equals(name.attributes().get("Encoded"))
                ? URLDecoder.decode(name.text().replace("+", "%2B"), StandardCharsets.UTF_8)
                : name.text();
    }

    private static Stream<BlobEntry> entry(XmlElement entry) {
        String name = name(entry);
        if (entry.name().equals("BlobPrefix")) {
            return Stream.of(new BlobEntry(name, null));
        }
        return entry.name().equals("Blob") && isObject(entry)
                ? key(name).map(key -> new BlobEntry(name, object(key, entry))).stream()
                : Stream.empty();
    }

    /** Returns whether it is not a directory of an account with a hierarchical namespace. */
    private static boolean isObject(XmlElement blob) {
        return properties(blob)
                .nonEmptyTextOf("ResourceType")
                .filter("directory"::equals)
                .isEmpty();
    }

    /** Returns the key; empty for a name that is longer than S3's keys. */
    private static Optional<ObjectKey> key(String name) {
        try {
            return Optional.of(new ObjectKey(name));
        } catch (IllegalArgumentException tooLong) {
            return Optional.empty();
        }
    }

    private static ListedObject object(ObjectKey key, XmlElement blob) {
        XmlElement properties = properties(blob);
        return new ListedObject(
                key,
                number(properties.requiredTextOf("Content-Length")),
                properties.nonEmptyTextOf("Etag").map(ETag::parse),
                HttpDate.parse(properties.requiredTextOf("Last-Modified"))
                        .orElseThrow(() -> new XmlException("a blob without a usable Last-Modified")),
                BlobHeaderMapper.storageClass(
                        properties.nonEmptyTextOf("AccessTier").orElse("")),
                ListedChecksums.NONE,
                Optional.empty());
    }

    static XmlElement properties(XmlElement blob) {
        return blob.first("Properties").orElseThrow(() -> new XmlException("a blob without properties"));
    }

    static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new XmlException("not a number: " + text);
        }
    }
}
