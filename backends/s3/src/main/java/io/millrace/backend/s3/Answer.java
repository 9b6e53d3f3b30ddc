package io.millrace.backend.s3;

import io.millrace.backend.spi.ByteRange;
import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.HeaderList.Field;
import io.millrace.backend.spi.ResponseHeaders;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.http.SdkHttpResponse;

/**
 * The head of a server's answer, read from its raw fields: values stay as they came, byte for byte, a byte of 0x80 and above
 * as the character of that number.
 *
 * @param describing the fields that describe the object, see {@link ResponseHeaders}
 * @param told those a 304 or an error tells of the object
 */
record Answer(
        int status,
        Optional<ETag> eTag,
        Optional<Instant> lastModified,
        OptionalLong contentLength,
        Optional<ContentRange> contentRange,
        HeaderList describing,
        HeaderList told) {
    private static final Pattern CONTENT_RANGE =
            Pattern.compile("bytes (?:([0-9]{1,18})-([0-9]{1,18})|\\*)/([0-9]{1,18})");
    private static final Set<String> TOLD = Set.of("etag", "last-modified", "cache-control", "expires");
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

    /**
     * {@code Content-Range}.
     *
     * @param range the bytes in the body; empty if there are none (416)
     * @param size bytes of the whole object
     */
    record ContentRange(Optional<ByteRange> range, long size) {}

    static Answer of(SdkHttpResponse response) {
        List<Field> fields = new ArrayList<>();
        response.forEachHeader((name, values) -> values.forEach(value -> fields.add(new Field(name, value))));
        return new Answer(
                response.statusCode(),
                response.firstMatchingHeader("ETag")
                        .map(ETag::parse)
                        .filter(tag -> !tag.opaque().isEmpty()),
                response.firstMatchingHeader("Last-Modified").flatMap(Answer::time),
                length(response),
                response.firstMatchingHeader("Content-Range").flatMap(Answer::contentRange),
                only(fields, ResponseHeaders::describeObject),
                only(fields, Answer::isTold));
    }

    Optional<String> versionId() {
        return describing.first("x-amz-version-id");
    }

    private static HeaderList only(List<Field> fields, Predicate<String> names) {
        return new HeaderList(
                fields.stream().filter(field -> names.test(field.name())).toList());
    }

    private static boolean isTold(String name) {
        return TOLD.contains(name) || (name.startsWith("x-amz-") && ResponseHeaders.describeObject(name));
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static OptionalLong length(SdkHttpResponse response) {
        return response.firstMatchingHeader("Content-Length")
                .filter(text -> LENGTH.matcher(text).matches())
                .map(text -> OptionalLong.of(Long.parseLong(text)))
                .orElse(OptionalLong.empty());
    }

    private static Optional<ContentRange> contentRange(String text) {
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
