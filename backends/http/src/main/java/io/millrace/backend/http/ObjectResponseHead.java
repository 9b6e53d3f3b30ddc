package io.millrace.backend.http;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.ObjectHeaderNames;
import io.millrace.backend.spi.object.ByteRange;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.kit.HttpDate;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parsed status and headers of a response about an object. Values stay byte for byte as received: a byte of 0x80
 * and above is the character with that number.
 *
 * @param objectHeaders the headers that describe the object, see {@link ObjectHeaderNames}
 * @param errorHeaders the object's headers in a 304 or an error
 */
public record ObjectResponseHead(
        int status,
        Optional<ETag> eTag,
        Optional<Instant> lastModified,
        OptionalLong contentLength,
        Optional<ContentRange> contentRange,
        HeaderList objectHeaders,
        HeaderList errorHeaders) {
    private static final Pattern CONTENT_RANGE =
            Pattern.compile("bytes (?:([0-9]{1,18})-([0-9]{1,18})|\\*)/([0-9]{1,18})");

    /** The Content-Range of an empty object: of its first part at LocalStack, of its last bytes at MinIO. */
    private static final String NOTHING_OF_NOTHING = "bytes 0--1/0";

    private static final Set<String> ERROR_HEADERS = Set.of("etag", "last-modified", "cache-control", "expires");
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

    /**
     * A parsed {@code Content-Range} header.
     *
     * @param range the bytes in the body; empty if there are none
     * @param size bytes of the whole object
     */
    public record ContentRange(Optional<ByteRange> range, long size) {}

    /**
     * Parses a response whose headers have S3's names.
     *
     * @param fields those of the response; only the ones that describe an object are kept
     */
    public static ObjectResponseHead of(int status, List<HeaderField> fields) {
        HeaderList all = new HeaderList(fields);
        return new ObjectResponseHead(
                status,
                all.first("etag").map(ETag::parse).filter(tag -> !tag.opaque().isEmpty()),
                all.first("last-modified").flatMap(HttpDate::parse),
                length(all.first("content-length")),
                all.first("content-range").flatMap(ObjectResponseHead::contentRange),
                all.where(ObjectHeaderNames::contains),
                all.where(ObjectResponseHead::isErrorHeader));
    }

    /**
     * Returns this response, of a server that gives each object a tag.
     *
     * @throws BackendException of kind INVALID_RESPONSE if a success has none: then it is not that server's
     */
    public ObjectResponseHead requireTag() {
        if (eTag.isEmpty() && status >= 200 && status < 300) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE, "the response has no ETag, which the server gives each object");
        }
        return this;
    }

    Optional<String> versionId() {
        return objectHeaders.first("x-amz-version-id");
    }

    private static boolean isErrorHeader(String name) {
        return ERROR_HEADERS.contains(name) || (name.startsWith("x-amz-") && ObjectHeaderNames.contains(name));
    }

    private static OptionalLong length(Optional<String> text) {
        return text.filter(digits -> LENGTH.matcher(digits).matches())
                .map(digits -> OptionalLong.of(Long.parseLong(digits)))
                .orElse(OptionalLong.empty());
    }

    private static Optional<ContentRange> contentRange(String text) {
        if (text.equals(NOTHING_OF_NOTHING)) {
            return Optional.of(new ContentRange(Optional.empty(), 0));
        }
        Matcher parts = CONTENT_RANGE.matcher(text);
        if (!parts.matches()) {
            return Optional.empty();
        }
        long size = Long.parseLong(parts.group(3));
        if (parts.group(1) == null) {
            return Optional.of(new ContentRange(Optional.empty(), size));
        }
        long first = Long.parseLong(parts.group(1));
        long last = Long.parseLong(parts.group(2));
        boolean sound = first <= last && last < size;
        return sound ? Optional.of(new ContentRange(Optional.of(new ByteRange(first, last)), size)) : Optional.empty();
    }
}
