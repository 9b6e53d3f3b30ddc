package io.millrace.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects problems while the settings are read, and remembers where each key was written. For one thread. */
final class Report {
    /**
     * Shorter secrets are not searched for in messages: an {@code S} would be replaced in every word. They are kept out
     * like all others, by never being put in.
     */
    private static final int SHORTEST_SEARCHED = 8;

    /** Room for the list of all keys of a record; what others say about a value may repeat a long one. */
    private static final int LONGEST_SENTENCE = 1_000;

    private final List<Problem> problems = new ArrayList<>();
    private final List<Problem> warnings = new ArrayList<>();
    private final Set<String> keysWithProblems = new HashSet<>();
    private final Map<String, Place> places = new HashMap<>();
    private final Map<String, Text> texts = new HashMap<>();
    private final Map<String, Text> substituted = new HashMap<>();
    private final Set<String> secrets = new HashSet<>();

    /** Remembers where {@code path} was written, for problems that are found later. */
    void visit(String path, Place place) {
        places.put(path, place);
    }

    /** Remembers what was written at {@code path}, for problems that are found later. */
    void visit(String path, Text text) {
        texts.put(path, text);
        if (!text.variables().isEmpty()) {
            substituted.put(path, text);
        }
    }

    /** Keeps {@code secret} out of all messages, those included that others make. */
    void conceal(Secret secret) {
        if (secret.reveal().length() >= SHORTEST_SEARCHED) {
            secrets.add(secret.reveal());
        }
    }

    /** Adds a problem with a key. */
    void add(Place place, String path, String value, String what, String remedy) {
        markReported(path);
        problems.add(new Problem(place.source(), place.line(), path, value, what, remedy));
    }

    /** Adds a problem with the text that was visited at {@code path}. */
    void addAt(String path, Unfit unfit) {
        Text text = texts.getOrDefault(path, Text.plain(""));
        add(placeOf(path), path, text.shown(), text.redact(unfit.what()), text.redact(unfit.remedy()));
    }

    /** Adds what the record at {@code path} itself refuses. */
    void addRefused(String path, String what, String remedy) {
        add(placeOf(path), path, "", redacted(path, what), remedy);
    }

    /** Adds what a {@link Checked} record at {@code record} found, unless the key has a problem already. */
    void addChecked(String record, String relativePath, String value, String what, String remedy) {
        String path = KeyPath.join(record, relativePath);
        if (relativePath.isEmpty() || !reported(path)) {
            markReported(path);
            problems.add(checked(record, path, value, what, remedy));
        }
    }

    /** Adds what a {@link Checked} record at {@code record} finds odd. */
    void addWarning(String record, String relativePath, String value, String what, String remedy) {
        warnings.add(checked(record, KeyPath.join(record, relativePath), value, what, remedy));
    }

    private Problem checked(String record, String path, String value, String what, String remedy) {
        Place place = placeOf(path);
        Text written = texts.get(path);
        String shown = written == null ? value : written.shown();
        return new Problem(
                place.source(),
                place.line(),
                path,
                redacted(record, shown),
                redacted(record, what),
                redacted(record, remedy));
    }

    /** Notes that {@code path} has a problem, and with it all it lies in. */
    void markReported(String path) {
        String key = path;
        while (keysWithProblems.add(key) && !key.isEmpty()) {
            key = KeyPath.parent(key);
        }
    }

    /** Whether {@code path}, or a key below it, has a problem. */
    boolean reported(String path) {
        return keysWithProblems.contains(path);
    }

    /** Whether nothing is wrong so far. */
    boolean isEmpty() {
        return problems.isEmpty();
    }

    /** All problems, in the order of the file, those without a line last. */
    SettingsException exception() {
        return new SettingsException(inOrder(problems));
    }

    /** All warnings, in the order of the file. */
    List<Problem> warnings() {
        return inOrder(warnings);
    }

    private List<Problem> inOrder(List<Problem> found) {
        return found.stream()
                .sorted(Comparator.comparingInt(Report::order))
                .map(this::printable)
                .distinct()
                .toList();
    }

    private Place placeOf(String path) {
        String nearest = path;
        @Nullable Place place = places.get(nearest);
        while (place == null && !nearest.isEmpty()) {
            nearest = KeyPath.parent(nearest);
            place = places.get(nearest);
        }
        return place == null ? new Place("settings", 0) : place;
    }

    /** A text made by code that saw the values at and below {@code path}, without what came out of variables. */
    private String redacted(String path, String text) {
        String result = text;
        for (Map.Entry<String, Text> entry : substituted.entrySet()) {
            if (KeyPath.isWithin(entry.getKey(), path)) {
                result = entry.getValue().redact(result);
            }
        }
        return result;
    }

    private static int order(Problem problem) {
        return problem.line() == 0 ? Integer.MAX_VALUE : problem.line();
    }

    private Problem printable(Problem problem) {
        return new Problem(
                problem.source(),
                problem.line(),
                Text.printable(problem.key()),
                Text.printable(concealed(problem.value())),
                Text.printable(concealed(problem.what()), LONGEST_SENTENCE),
                Text.printable(concealed(problem.remedy()), LONGEST_SENTENCE));
    }

    private String concealed(String text) {
        String result = text;
        for (String secret : secrets) {
            result = result.replace(secret, Secret.HIDDEN);
        }
        return result;
    }
}
