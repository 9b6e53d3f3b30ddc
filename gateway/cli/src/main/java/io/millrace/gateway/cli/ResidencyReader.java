package io.millrace.gateway.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Requests from the server how much of a prefix is cached, in steps that it adds up.
 *
 * @param server requests one step with these parameters
 * @param pause time before a retry while the server is busy
 * @param isTerminal whether messages go to a terminal, where a line can be redrawn
 */
record ResidencyReader(
        Function<Map<String, String>, JsonObject> server, Duration pause, boolean isTerminal, PrintWriter messages) {
    private static final List<String> SUMMED = List.of("objects", "bytes", "cachedObjects", "cachedBytes");

    /** The members that are not in the sum. */
    static final String UNANSWERED = "unanswered";

    /**
     * Attempts for a step while the server is busy: at one second each, longer than the steps of other clients take.
     */
    private static final int MOST_ATTEMPTS = 60;

    /** Returns the sum of all steps. */
    JsonObject readAll(Map<String, String> query) {
        Map<String, String> parameters = new LinkedHashMap<>(query);
        parameters.put("from", "");
        JsonObject step = step(parameters);
        Map<String, @Nullable Object> all = new LinkedHashMap<>(step.fields());
        List<Object> unanswered = new ArrayList<>();
        note(step, unanswered);
        while (!step.text("next").isEmpty()) {
            show(step, all);
            parameters.put("from", step.text("next"));
            step = step(parameters);
            add(step, all);
            note(step, unanswered);
        }
        clear();
        all.remove("read");
        all.remove("next");
        all.remove(UNANSWERED);
        if (!unanswered.isEmpty()) {
            all.put(UNANSWERED, unanswered);
        }
        return new JsonObject(all);
    }

    /** Adds the member that did not answer, if the step is of one. */
    private static void note(JsonObject step, List<Object> unanswered) {
        if (step.has(UNANSWERED)) {
            unanswered.add(step.object(UNANSWERED).fields());
        }
    }

    private static void add(JsonObject step, Map<String, @Nullable Object> all) {
        for (String name : SUMMED) {
            if (step.has(name)) {
                all.put(name, new JsonObject(all).number(name) + step.number(name));
            }
        }
    }

    /** Requests one step and retries while the server is busy, so that earlier steps are not lost. */
    private JsonObject step(Map<String, String> parameters) {
        for (int attempt = 1; ; attempt++) {
            try {
                return server.apply(parameters);
            } catch (CliException failure) {
                if (!failure.isBusy() || attempt == MOST_ATTEMPTS) {
                    throw failure;
                }
                pauseBeforeRetry(failure);
            }
        }
    }

    private void pauseBeforeRetry(CliException failure) {
        try {
            Thread.sleep(pause.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure;
        }
    }

    private void show(JsonObject step, Map<String, @Nullable Object> all) {
        if (isTerminal) {
            double read = step.fields().get("read") instanceof Number share ? share.doubleValue() : 0;
            messages.print(String.format(
                    Locale.ROOT,
                    "\r\u001b[K%.0f%% scanned, %s objects so far",
                    100 * read,
                    HumanReadable.count(new JsonObject(all).number("objects"))));
            messages.flush();
        }
    }

    private void clear() {
        if (isTerminal) {
            messages.print("\r\u001b[K");
            messages.flush();
        }
    }
}
