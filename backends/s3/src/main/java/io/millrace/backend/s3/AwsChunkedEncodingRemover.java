package io.millrace.backend.s3;

import io.millrace.backend.spi.object.HeaderList.HeaderField;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Removes {@code aws-chunked} from the {@code Content-Encoding} of an object. It is the framing of an upload and not an
 * encoding of the stored bytes; some servers store it (versitygw up to 1.8), and clients then fail to read the object.
 */
final class AwsChunkedEncodingRemover {
    private static final String NAME = "content-encoding";
    private static final String FRAMING = "aws-chunked";

    private AwsChunkedEncodingRemover() {}

    /** Returns the headers without {@code aws-chunked}; the same list if none contains it. */
    static List<HeaderField> withoutAwsChunked(List<HeaderField> fields) {
        return fields.stream().noneMatch(AwsChunkedEncodingRemover::isFramed) ? fields : without(fields);
    }

    private static List<HeaderField> without(List<HeaderField> fields) {
        List<HeaderField> stored = new ArrayList<>(fields.size());
        for (HeaderField field : fields) {
            if (isFramed(field)) {
                String rest = rest(field.value());
                if (!rest.isEmpty()) {
                    stored.add(new HeaderField(NAME, rest));
                }
            } else {
                stored.add(field);
            }
        }
        return stored;
    }

    private static boolean isFramed(HeaderField field) {
        return field.name().equals(NAME) && encodings(field.value()).anyMatch(FRAMING::equalsIgnoreCase);
    }

    private static String rest(String value) {
        return encodings(value)
                .filter(encoding -> !encoding.isEmpty() && !encoding.equalsIgnoreCase(FRAMING))
                .collect(Collectors.joining(", "));
    }

    private static Stream<String> encodings(String value) {
        return Stream.of(value.split(",", -1)).map(String::strip);
    }
}
