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
 * @param bucketRegion where the bucket is, which servers tell in some errors
 * @param describing the fields that describe the object, see {@link ResponseHeaders}
 * @param told those a 304 or an error tells of the object
 */
record Answer(
        int status,
        Optional<ETag> eTag,
        Optional<Instant> lastModified,
        OptionalLong contentLength,
        Optional<ContentRange> contentRange,
        Optional<String> bucketRegion,
        HeaderList describing,
        HeaderList told) {
    private static final Pattern CONTENT_RANGE =
            Pattern.compile("bytes (?:([0-9]{1,18})-([0-9]{1,18})|\\*)/([0-9]{1,18})");

    /** How LocalStack says that the first part of an empty object has no bytes. */
    private static final String NOTHING_OF_NOTHING = "bytes 0--1/0";

    private static final Set<String> TOLD = Set.of("etag", "last-modified", "cache-control", "expires");
    private static final Pattern LENGTH = Pattern.compile("[0-9]{1,18}");

    /**
     * {@code Content-Range}.
     *
     * @param range the bytes in the body; empty if there are none
     * @param size bytes of the whole object
     */
    record ContentRange(Optional<ByteRange> range, long size) {}

    static Answer of(SdkHttpResponse response) {
        List<Field> fields = new ArrayList<>();
        response.forEachHeader((name, values) -> values.forEach(value -> fields.add(new Field(name, value))));
        return of(response.statusCode(), fields);
    }

    static Answer of(int status, List<Field> fields) {
        return new Answer(
                status,
                first(fields, "etag")
                        .map(ETag::parse)
                        .filter(tag -> !tag.opaque().isEmpty()),
                first(fields, "last-modified").flatMap(Answer::time),
                length(first(fields, "content-length")),
                first(fields, "content-range").flatMap(Answer::contentRange),
                first(fields, "x-amz-bucket-region"),
                only(StoredEncoding.of(fields), ResponseHeaders::describeObject),
                only(fields, Answer::isTold));
    }

    Optional<String> versionId() {
        return describing.first("x-amz-version-id");
    }

    private static Optional<String> first(List<Field> fields, String name) {
        for (Field field : fields) {
            if (field.name().equals(name)) {
                return Optional.of(field.value());
            }
        }
        return Optional.empty();
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
