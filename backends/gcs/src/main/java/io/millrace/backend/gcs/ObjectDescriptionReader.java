package io.millrace.backend.gcs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.HeaderList.HeaderField;
import io.millrace.kit.HttpDate;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Reads {@link ObjectDescription}s: a resource of the JSON API, or the headers of the XML API. */
final class ObjectDescriptionReader {
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");
    private static final String META = "x-goog-meta-";
    private static final String IDENTITY = "identity";

    /** The fields of the JSON API that are headers in S3. */
    private static final Map<String, String> STANDARD = Map.of(
            "contentType", "content-type",
            "contentEncoding", "content-encoding",
            "contentLanguage", "content-language",
            "contentDisposition", "content-disposition",
            "cacheControl", "cache-control");

    private ObjectDescriptionReader() {}

    /**
     * Reads a resource.
     *
     * @throws BackendException of kind {@link FailureKind#INVALID_RESPONSE} if it lacks generation or size
     */
    static ObjectDescription json(JsonNode resource) {
        List<HeaderField> standard = new ArrayList<>();
        STANDARD.forEach((field, header) -> text(resource, field)
                .ifPresent(value -> standard.add(new HeaderField(header, HeaderTextCodec.fromText(value)))));
        Map<String, String> custom = new TreeMap<>();
        resource.path("metadata")
                .properties()
                .forEach(entry -> custom.put(
                        entry.getKey().toLowerCase(Locale.ROOT),
                        HeaderTextCodec.fromText(entry.getValue().asString(""))));
        return new ObjectDescription(
                number(text(resource, "generation"), "generation"),
                number(text(resource, "size"), "size"),
                text(resource, "md5Hash"),
                text(resource, "crc32c"),
                text(resource, "updated").flatMap(ObjectDescriptionReader::time),
                text(resource, "storageClass").orElse(""),
                new HeaderList(standard),
                custom);
    }

    /**
     * Reads the headers of a response of the XML API.
     *
     * @param size bytes of the whole object
     * @throws BackendException of kind {@link FailureKind#INVALID_RESPONSE} if they lack the generation, or the server
     *     has changed the encoding of the bytes
     */
    static ObjectDescription xml(HeaderList headers, long size) {
        List<HeaderField> standard = new ArrayList<>();
        Map<String, String> custom = new TreeMap<>();
        for (HeaderField field : headers.fields()) {
            if (STANDARD.containsValue(field.name()) && !field.name().equals("content-encoding")) {
                standard.add(field);
            } else if (field.name().startsWith(META)) {
                custom.put(field.name().substring(META.length()), field.value());
            }
        }
        storedEncoding(headers).ifPresent(encoding -> standard.add(new HeaderField("content-encoding", encoding)));
        return new ObjectDescription(
                number(headers.first("x-goog-generation"), "x-goog-generation"),
                size,
                hash(headers, "md5="),
                hash(headers, "crc32c="),
                headers.first("last-modified").flatMap(HttpDate::parse),
                headers.first("x-goog-storage-class").orElse(""),
                new HeaderList(standard),
                custom);
    }

    private static Optional<String> storedEncoding(HeaderList headers) {
        Optional<String> sent = headers.first("content-encoding").filter(encoding -> !encoding.equals(IDENTITY));
        Optional<String> stored = headers.first("x-goog-stored-content-encoding");
        if (stored.isPresent()
                && !stored.filter(encoding -> !encoding.equals(IDENTITY)).equals(sent)) {
            throw invalid("the bytes are stored with encoding %s and sent with %s"
                    .formatted(stored.get(), sent.orElse(IDENTITY)));
        }
        return sent;
    }

    /** Finds a hash in one or several {@code x-goog-hash: crc32c=…,md5=…}. */
    private static Optional<String> hash(HeaderList headers, String prefix) {
        return headers.fields().stream()
                .filter(field -> field.name().equals("x-goog-hash"))
                .flatMap(field -> List.of(field.value().split(",", -1)).stream())
                .map(String::strip)
                .filter(hash -> hash.startsWith(prefix) && hash.length() > prefix.length())
                .map(hash -> hash.substring(prefix.length()))
                .findFirst();
    }

    private static Optional<String> text(JsonNode resource, String field) {
        return Optional.of(resource.path(field).asString("")).filter(value -> !value.isEmpty());
    }

    private static long number(Optional<String> text, String what) {
        return text.filter(digits -> NUMBER.matcher(digits).matches())
                .map(Long::parseLong)
                .orElseThrow(() -> invalid("the response has no " + what));
    }

    private static Optional<Instant> time(String text) {
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static BackendException invalid(String what) {
        return new BackendException(FailureKind.INVALID_RESPONSE, what);
    }
}
