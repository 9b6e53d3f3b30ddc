package io.millrace.gateway.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the options that were given on the command line into the JSON body of a job request. */
final class JobRequestFieldWriter {
    private JobRequestFieldWriter() {}

    /** Adds a field if {@code value} is not null; otherwise the server uses its default. */
    static void putIfPresent(Map<String, Object> fields, String name, @Nullable Object value) {
        if (value != null) {
            fields.put(name, value);
        }
    }
}
