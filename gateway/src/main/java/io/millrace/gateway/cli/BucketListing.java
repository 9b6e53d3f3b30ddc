package io.millrace.gateway.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** Sums up what a bucket lists, step by step and bounded. */
final class BucketListing {
    private static final long MOST_OBJECTS = 1_000_000;

    private BucketListing() {}

    /**
     * The sums as {@code listedObjects}, {@code listedBytes} and {@code listedAll}, which is false if there are more.
     *
     * @param server answers a step by its parameters
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
