package io.millrace.gateway.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Fields of a request. */
final class Fields {
    private Fields() {}

    /** Says {@code value} if there is one: what is not said, the server decides. */
    static void put(Map<String, Object> fields, String name, @Nullable Object value) {
        if (value != null) {
            fields.put(name, value);
        }
    }
}
