package io.millrace.gateway.cli;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object of the server's. A field that is absent, or of another kind, reads as nothing: a newer server may tell more, and an
 * older one less.
 */
record JsonObject(Map<String, @Nullable Object> fields) {
    static final JsonObject EMPTY = new JsonObject(Map.of());

    /** A text or number as it is written; empty if there is none. */
    String text(String name) {
        Object value = fields.get(name);
        return value instanceof String || value instanceof Number ? value.toString() : "";
    }

    long number(String name) {
        return fields.get(name) instanceof Number number ? number.longValue() : 0;
    }

    boolean has(String name) {
        return fields.get(name) != null;
    }

    boolean flag(String name) {
        return Boolean.TRUE.equals(fields.get(name));
    }

    JsonObject object(String name) {
        return of(fields.get(name));
    }

    List<JsonObject> objects(String name) {
        return fields.get(name) instanceof List<?> values
                ? values.stream().map(JsonObject::of).toList()
                : List.of();
    }

    @SuppressWarnings("unchecked") // Json makes no other maps
    private static JsonObject of(@Nullable Object value) {
        return value instanceof Map<?, ?> map ? new JsonObject((Map<String, @Nullable Object>) map) : EMPTY;
    }
}
