package io.millrace.config.binding;

import io.millrace.config.problem.SettingPath;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Schema of a map in the settings, from names that the operator chooses to values of one schema. Invalid entries are
 * left out.
 */
record MapSchema(SettingSchema value) implements SettingSchema {
    @Override
    public @Nullable Object bind(SettingsNode tree, String path, BindingContext binding) {
        if (SettingsNode.isBlank(tree)) {
            return Map.of();
        }
        if (!(tree instanceof SettingsNode.Mapping mapping)) {
            return SettingSchema.reportMismatch(
                    tree, path, binding, "a mapping of names to values", "write name: value");
        }
        Map<String, Object> bound = new LinkedHashMap<>();
        mapping.entries().forEach((name, entry) -> {
            @Nullable Object entryValue = value.bind(entry, SettingPath.child(path, name), binding);
            if (entryValue != null) {
                bound.put(name, entryValue);
            }
        });
        return Collections.unmodifiableMap(bound);
    }

    @Override
    public Optional<Object> emptyValue() {
        return Optional.of(Map.of());
    }

    @Override
    public String typeName() {
        return value.typeName() + " by name";
    }

    /** Prefers existing entries; a name refers to a new entry only if no existing one matches. */
    @Override
    public Stream<List<SettingPathStep>> findPaths(
            String rest, @Nullable SettingsNode tree, List<SettingPathStep> here) {
        List<List<SettingPathStep>> existing = existing(rest, tree, here).toList();
        return existing.isEmpty() ? created(rest, here) : existing.stream();
    }

    private Stream<List<SettingPathStep>> existing(
            String rest, @Nullable SettingsNode tree, List<SettingPathStep> here) {
        if (!(tree instanceof SettingsNode.Mapping mapping)) {
            return Stream.empty();
        }
        return mapping.entries().entrySet().stream()
                .flatMap(entry ->
                        EnvironmentVariableName.remainder(EnvironmentVariableName.of(entry.getKey()), rest).stream()
                                .flatMap(
                                        below -> value.findPaths(below, entry.getValue(), step(here, entry.getKey()))));
    }

    /** Tries every split of the rest into a name and, if anything follows, keys of the value. */
    private Stream<List<SettingPathStep>> created(String rest, List<SettingPathStep> here) {
        Stream<List<SettingPathStep>> whole = value.findPaths("", null, step(here, entryName(rest)));
        Stream<List<SettingPathStep>> split = IntStream.range(1, rest.length() - 1)
                .filter(at -> rest.charAt(at) == '_')
                .boxed()
                .flatMap(at ->
                        value.findPaths(rest.substring(at + 1), null, step(here, entryName(rest.substring(0, at)))));
        return rest.isEmpty() ? Stream.empty() : Stream.concat(whole, split);
    }

    private static String entryName(String variable) {
        return variable.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static List<SettingPathStep> step(List<SettingPathStep> here, String name) {
        return SettingPathStep.plus(here, new SettingPathStep.EntryStep(name));
    }

    @Override
    public Optional<NestedSchema> nested() {
        return Optional.of(new NestedSchema(".<name>", "_<NAME>", value));
    }
}
