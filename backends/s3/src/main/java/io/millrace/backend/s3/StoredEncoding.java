package io.millrace.backend.s3;

import io.millrace.backend.spi.HeaderList.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Takes {@code aws-chunked} off the {@code Content-Encoding} of an object. It said how a body came and is no encoding of what is
 * stored; servers that store it all the same (versitygw up to 1.8) keep clients from reading the object.
 */
final class StoredEncoding {
    private static final String NAME = "content-encoding";
    private static final String FRAMING = "aws-chunked";

    private StoredEncoding() {}

    /** The same fields, where none of them says it. */
    static List<Field> of(List<Field> fields) {
        return fields.stream().noneMatch(StoredEncoding::isFramed) ? fields : without(fields);
    }

    private static List<Field> without(List<Field> fields) {
        List<Field> stored = new ArrayList<>(fields.size());
        for (Field field : fields) {
            if (isFramed(field)) {
                String rest = rest(field.value());
                if (!rest.isEmpty()) {
                    stored.add(new Field(NAME, rest));
                }
            } else {
                stored.add(field);
            }
        }
        return stored;
    }

    private static boolean isFramed(Field field) {
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
