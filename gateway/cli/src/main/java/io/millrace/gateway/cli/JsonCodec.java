package io.millrace.gateway.cli;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads and writes JSON as maps, lists and scalars. Binding it to records would take longer than a whole command may.
 */
final class JsonCodec {
    private static final JsonFactory JSON = new JsonFactory();

    private JsonCodec() {}

    /**
     * Parses a JSON object.
     *
     * @throws IllegalArgumentException if {@code text} is not a JSON object
     */
    static JsonObject readObject(String text) {
        try (JsonParser json = JSON.createParser(ObjectReadContext.empty(), text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("it is not a JSON object");
            }
            return new JsonObject(object(json));
        } catch (JacksonException e) {
            throw new IllegalArgumentException("it is not JSON", e);
        }
    }

    /** Writes JSON in one line. */
    static String write(Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
            write(json, value);
        }
        return text.toString();
    }

    private static Map<String, @Nullable Object> object(JsonParser json) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            json.nextToken();
            fields.put(name, value(json));
        }
        return fields;
    }

    private static List<@Nullable Object> array(JsonParser json) {
        List<@Nullable Object> values = new ArrayList<>();
        while (json.nextToken() != JsonToken.END_ARRAY) {
            values.add(value(json));
        }
        return values;
    }

    private static @Nullable Object value(JsonParser json) {
        return switch (json.currentToken()) {
            case START_OBJECT -> object(json);
            case START_ARRAY -> array(json);
            case VALUE_NUMBER_INT ->
                json.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                        ? json.getBigIntegerValue()
                        : json.getLongValue();
            case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            default -> json.getString();
        };
    }

    private static void write(JsonGenerator json, @Nullable Object value) {
        if (value instanceof JsonObject object) {
            write(json, object.fields());
        } else if (value instanceof Map<?, ?> fields) {
            json.writeStartObject();
            fields.forEach((name, field) -> {
                json.writeName(String.valueOf(name));
                write(json, field);
            });
            json.writeEndObject();
        } else if (value instanceof List<?> values) {
            json.writeStartArray();
            values.forEach(element -> write(json, element));
            json.writeEndArray();
        } else if (value instanceof Number || value instanceof Boolean) {
            json.writeRawValue(value.toString());
        } else if (value == null) {
            json.writeNull();
        } else {
            json.writeString(value.toString());
        }
    }
}
