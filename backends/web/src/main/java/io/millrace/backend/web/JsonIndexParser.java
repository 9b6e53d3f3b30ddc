package io.millrace.backend.web;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.kit.HttpDate;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** Reads nginx's index of a folder as JSON, whose sizes and times are exact. */
final class JsonIndexParser {
    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(2).build())
            .build();

    private JsonIndexParser() {}

    /**
     * @throws BackendException of kind {@link FailureKind#INVALID_RESPONSE} if it is no such index
     */
    static List<ListingEntry> parse(byte[] document) {
        List<ListingEntry> entries = new ArrayList<>();
        // As text: a name on the server's disk that is not UTF-8 must not hide all others.
        String text = new String(document, StandardCharsets.UTF_8);
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
            require(json.nextToken() == JsonToken.START_ARRAY);
            while (json.nextToken() != JsonToken.END_ARRAY) {
                require(json.currentToken() == JsonToken.START_OBJECT);
                entry(properties(json)).ifPresent(entries::add);
            }
        } catch (JacksonException e) {
            throw invalid();
        }
        return entries;
    }

    private static Map<String, String> properties(JsonParser json) {
        Map<String, String> properties = new HashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            require(json.nextToken() != null && json.currentToken().isScalarValue());
            properties.put(name, json.getString());
        }
        return properties;
    }

    private static Optional<ListingEntry> entry(Map<String, String> properties) {
        String name = properties.getOrDefault("name", "");
        if (properties.getOrDefault("type", "").equals("directory")) {
            return IndexEntryNameCheck.of(name + "/").map(ListingEntry::of);
        }
        return IndexEntryNameCheck.of(name)
                .filter(file -> !file.endsWith("/"))
                .map(file -> new ListingEntry(
                        file,
                        size(properties.getOrDefault("size", "")),
                        HttpDate.parse(properties.getOrDefault("mtime", ""))));
    }

    static OptionalLong size(String text) {
        return text.matches("[0-9]{1,18}") ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
    }

    private static void require(boolean sound) {
        if (!sound) {
            throw invalid();
        }
    }

    private static BackendException invalid() {
        return new BackendException(FailureKind.INVALID_RESPONSE, "the index is not the JSON that nginx writes");
    }
}
