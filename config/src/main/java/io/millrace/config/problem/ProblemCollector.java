package io.millrace.config.problem;

import io.millrace.config.Secret;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Collects the problems found while the settings are loaded, and remembers the source location of each key. Not
 * thread-safe.
 */
public final class ProblemCollector {
    /**
     * Shorter secrets are not searched for in messages, because an {@code S} would be replaced in every word. No
     * message of ours contains a secret anyway.
     */
    private static final int SHORTEST_SEARCHED = 8;

    /** Long enough for all keys of a record; messages of other code may repeat a long value. */
    private static final int LONGEST_SENTENCE = 1_000;

    private final List<SettingsProblem> problems = new ArrayList<>();
    private final List<SettingsProblem> warnings = new ArrayList<>();
    private final Set<String> keysWithProblems = new HashSet<>();
    private final Map<String, SourceLocation> places = new HashMap<>();
    private final Map<String, SubstitutedText> texts = new HashMap<>();
    private final Map<String, SubstitutedText> substituted = new HashMap<>();
    private final Set<String> secrets = new HashSet<>();
    private final Map<String, List<String>> literalSecrets = new HashMap<>();

    /** Remembers where {@code path} was written, for problems that are found later. */
    public void remember(String path, SourceLocation place) {
        places.put(path, place);
    }

    /** Remembers what was written at {@code path}, for problems that are found later. */
    public void remember(String path, SubstitutedText text) {
        texts.put(path, text);
        if (!text.variables().isEmpty()) {
            substituted.put(path, text);
        }
    }

    /** Remembers that a secret stands in a source itself; a variable would keep it out of there. */
    public void rememberLiteralSecret(String source, String path) {
        literalSecrets.computeIfAbsent(source, absent -> new ArrayList<>()).add(path);
    }

    /** Returns the keys of the secrets that stand in a source itself, in its order. */
    public List<String> literalSecrets(String source) {
        return literalSecrets.getOrDefault(source, List.of()).stream()
                .sorted(Comparator.comparingInt(path -> placeOf(path).line()))
                .toList();
    }

    /** Adds a warning about the secret at {@code path}, of which nothing is shown. */
    public void warnOfSecret(String path, String what, String remedy) {
        SourceLocation place = placeOf(path);
        warnings.add(new SettingsProblem(place.source(), place.line(), path, "", what, remedy));
    }

    /** Adds a warning about the text that was visited at {@code path}. */
    public void warnAt(String path, String what, String remedy) {
        addWarning("", path, "", what, remedy);
    }

    /** Redacts {@code secret} in all messages, also in those of other code. */
    public void redactSecret(Secret secret) {
        if (secret.reveal().length() >= SHORTEST_SEARCHED) {
            secrets.add(secret.reveal());
        }
    }

    /** Adds a problem with a key. */
    public void add(SourceLocation place, String path, String value, String what, String remedy) {
        markReported(path);
        problems.add(new SettingsProblem(place.source(), place.line(), path, value, what, remedy));
    }

    /** Adds a problem with the text that was visited at {@code path}. */
    public void addAt(String path, InvalidValueException unfit) {
        SubstitutedText text = texts.getOrDefault(path, SubstitutedText.plain(""));
        add(placeOf(path), path, text.shown(), text.redact(unfit.description()), text.redact(unfit.remedy()));
    }

    /** Adds a problem that the constructor of the record at {@code path} found. */
    public void addRejected(String path, String what, String remedy) {
        add(placeOf(path), path, "", redacted(path, what), remedy);
    }

    /**
     * Adds a problem that a {@link SelfValidatingSettings} record at {@code record} found, unless the key already has a
     * problem.
     */
    void addChecked(String record, String relativePath, String value, String what, String remedy) {
        String path = SettingPath.join(record, relativePath);
        if (relativePath.isEmpty() || !hasProblem(path)) {
            markReported(path);
            problems.add(checked(record, path, value, what, remedy));
        }
    }

    /** Adds a warning of a {@link SelfValidatingSettings} record at {@code record}. */
    void addWarning(String record, String relativePath, String value, String what, String remedy) {
        warnings.add(checked(record, SettingPath.join(record, relativePath), value, what, remedy));
    }

    private SettingsProblem checked(String record, String path, String value, String what, String remedy) {
        SourceLocation place = placeOf(path);
        SubstitutedText written = texts.get(path);
        String shown = written == null ? value : written.shown();
        return new SettingsProblem(
                place.source(),
                place.line(),
                path,
                redacted(record, shown),
                redacted(record, what),
                redacted(record, remedy));
    }

    /** Marks {@code path} and all its parents as having a problem. */
    public void markReported(String path) {
        String key = path;
        while (keysWithProblems.add(key) && !key.isEmpty()) {
            key = SettingPath.parent(key);
        }
    }

    /** Whether {@code path}, or a key below it, has a problem. */
    boolean hasProblem(String path) {
        return keysWithProblems.contains(path);
    }

    /** Returns whether there is a mapping or text at {@code path}, wherever it was written. */
    boolean isWritten(String path) {
        return places.containsKey(path);
    }

    /** Returns the text at {@code path} with variables substituted; empty if there is none, or a secret. */
    Optional<String> written(String path) {
        return Optional.ofNullable(texts.get(path))
                .filter(text -> !text.shown().equals(Secret.REDACTED))
                .map(SubstitutedText::value);
    }

    /** Whether there is no problem so far. */
    public boolean isEmpty() {
        return problems.isEmpty();
    }

    /** Returns an exception with all problems in the order of the file, those without a line last. */
    public SettingsException exception() {
        return new SettingsException(inOrder(problems));
    }

    /** Returns all warnings in the order of the file. */
    public List<SettingsProblem> warnings() {
        return inOrder(warnings);
    }

    private List<SettingsProblem> inOrder(List<SettingsProblem> found) {
        return found.stream()
                .sorted(Comparator.comparingInt(ProblemCollector::order))
                .map(this::toPrintable)
                .distinct()
                .toList();
    }

    private SourceLocation placeOf(String path) {
        String nearest = path;
        @Nullable SourceLocation place = places.get(nearest);
        while (place == null && !nearest.isEmpty()) {
            nearest = SettingPath.parent(nearest);
            place = places.get(nearest);
        }
        return place == null ? new SourceLocation("settings", 0) : place;
    }

    /** Replaces values of variables used at or below {@code path} in a message by the variable names. */
    private String redacted(String path, String text) {
        String result = text;
        for (Map.Entry<String, SubstitutedText> entry : substituted.entrySet()) {
            if (SettingPath.isWithin(entry.getKey(), path)) {
                result = entry.getValue().redact(result);
            }
        }
        return result;
    }

    private static int order(SettingsProblem problem) {
        return problem.line() == 0 ? Integer.MAX_VALUE : problem.line();
    }

    private SettingsProblem toPrintable(SettingsProblem problem) {
        return new SettingsProblem(
                problem.source(),
                problem.line(),
                SubstitutedText.printable(problem.key()),
                SubstitutedText.printable(withoutSecrets(problem.value())),
                SubstitutedText.printable(withoutSecrets(problem.description()), LONGEST_SENTENCE),
                SubstitutedText.printable(withoutSecrets(problem.remedy()), LONGEST_SENTENCE));
    }

    private String withoutSecrets(String text) {
        String result = text;
        for (String secret : secrets) {
            result = result.replace(secret, Secret.REDACTED);
        }
        return result;
    }
}
