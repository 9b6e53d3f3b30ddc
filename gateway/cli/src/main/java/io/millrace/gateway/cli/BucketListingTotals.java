package io.millrace.gateway.cli;

import io.millrace.gateway.cli.text.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** Counts the objects and bytes of a bucket by listing it in steps, up to a million objects. */
final class BucketListingTotals {
    private static final long MOST_OBJECTS = 1_000_000;

    private BucketListingTotals() {}

    /**
     * Returns the totals as {@code listedObjects}, {@code listedBytes} and {@code listedAll}, which is false if there are more objects.
     *
     * @param server requests one step with these parameters
     */
    static Map<String, Object> read(Function<Map<String, String>, JsonObject> server, Map<String, String> query) {
        Map<String, String> asked = new LinkedHashMap<>(query);
        long objects = 0;
        long bytes = 0;
        String next = "";
        do {
            asked.put("from", next);
            JsonObject step = server.apply(asked);
            objects += step.number("objects");
            bytes += step.number("bytes");
            next = step.text("next");
        } while (!next.isEmpty() && objects < MOST_OBJECTS);
        return Map.of("listedObjects", objects, "listedBytes", bytes, "listedAll", next.isEmpty());
    }
}
