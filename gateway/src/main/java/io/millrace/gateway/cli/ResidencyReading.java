package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Asks for what is cached in steps, and shows how far the server is with its disks. What it has counted comes in one. */
final class ResidencyReading {
    private static final List<String> SUMMED = List.of("objects", "bytes", "cachedObjects", "cachedBytes");

    /** How often a step is asked for while others read: at a second each, longer than others take for a step. */
    private static final int MOST_ATTEMPTS = 60;

    private final Function<Map<String, String>, JsonObject> server;
    private final Duration pause;
    private final boolean redraws;
    private final PrintWriter messages;

    /**
     * @param server answers a step by its parameters
     * @param pause before a step is asked for again because others read
     * @param redraws whether messages go to where a line may be drawn over
     */
    ResidencyReading(
            Function<Map<String, String>, JsonObject> server, Duration pause, boolean redraws, PrintWriter messages) {
        this.server = server;
        this.pause = pause;
        this.redraws = redraws;
        this.messages = messages;
    }

    /** All steps together. */
    JsonObject all(Map<String, String> query) {
        Map<String, String> asked = new LinkedHashMap<>(query);
        asked.put("from", "");
        JsonObject step = step(asked);
        Map<String, @Nullable Object> all = new LinkedHashMap<>(step.fields());
        while (!step.text("next").isEmpty()) {
            show(step, all);
            asked.put("from", step.text("next"));
            step = step(asked);
            add(step, all);
        }
        clear();
        all.remove("read");
        all.remove("next");
        return new JsonObject(all);
    }

    private static void add(JsonObject step, Map<String, @Nullable Object> all) {
        for (String name : SUMMED) {
            if (step.has(name)) {
                all.put(name, new JsonObject(all).number(name) + step.number(name));
            }
        }
    }

    /** What was read so far is not to be lost because others read too. */
    private JsonObject step(Map<String, String> asked) {
        for (int attempt = 1; ; attempt++) {
            try {
                return server.apply(asked);
            } catch (CliException failure) {
                if (!failure.isBusy() || attempt == MOST_ATTEMPTS) {
                    throw failure;
                }
                waitOr(failure);
            }
        }
    }

    private void waitOr(CliException failure) {
        try {
            Thread.sleep(pause.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure;
        }
    }

    private void show(JsonObject step, Map<String, @Nullable Object> all) {
        if (redraws) {
            double read = step.fields().get("read") instanceof Number share ? share.doubleValue() : 0;
            messages.print(String.format(
                    Locale.ROOT,
                    "\r\u001b[K%.0f%% of the disks read, %s objects so far",
                    100 * read,
                    Amounts.count(new JsonObject(all).number("objects"))));
            messages.flush();
        }
    }

    private void clear() {
        if (redraws) {
            messages.print("\r\u001b[K");
            messages.flush();
        }
    }
}
