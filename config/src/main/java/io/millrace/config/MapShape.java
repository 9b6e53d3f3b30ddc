package io.millrace.config;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Values under names that the operator chooses. Broken entries are left out. */
record MapShape(Shape value) implements Shape {
    @Override
    public @Nullable Object bind(Tree tree, String path, Binding binding) {
        if (Tree.isBlank(tree)) {
            return Map.of();
        }
        if (!(tree instanceof Tree.Mapping mapping)) {
            return Shape.refuse(tree, path, binding, "a mapping of names to values", "write name: value");
        }
        Map<String, Object> bound = new LinkedHashMap<>();
        mapping.entries().forEach((name, entry) -> {
            @Nullable Object entryValue = value.bind(entry, KeyPath.child(path, name), binding);
            if (entryValue != null) {
                bound.put(name, entryValue);
            }
        });
        return Collections.unmodifiableMap(bound);
    }

    @Override
    public Optional<Object> nothing() {
        return Optional.of(Map.of());
    }

    @Override
    public String word() {
        return value.word() + " by name";
    }

    /** An entry that is there comes first; a new one is meant only where no existing one fits. */
    @Override
    public Stream<List<Step>> find(String rest, @Nullable Tree tree, List<Step> here) {
        List<List<Step>> existing = existing(rest, tree, here).toList();
        return existing.isEmpty() ? created(rest, here) : existing.stream();
    }

    private Stream<List<Step>> existing(String rest, @Nullable Tree tree, List<Step> here) {
        if (!(tree instanceof Tree.Mapping mapping)) {
            return Stream.empty();
        }
        return mapping.entries().entrySet().stream()
                .flatMap(entry -> VariableName.after(VariableName.of(entry.getKey()), rest).stream()
                        .flatMap(below -> value.find(below, entry.getValue(), step(here, entry.getKey()))));
    }

    /** Every way to split the rest into a name and, if anything follows, keys of the value. */
    private Stream<List<Step>> created(String rest, List<Step> here) {
        Stream<List<Step>> whole = value.find("", null, step(here, entryName(rest)));
        Stream<List<Step>> split = IntStream.range(1, rest.length() - 1)
                .filter(at -> rest.charAt(at) == '_')
                .boxed()
                .flatMap(at -> value.find(rest.substring(at + 1), null, step(here, entryName(rest.substring(0, at)))));
        return rest.isEmpty() ? Stream.empty() : Stream.concat(whole, split);
    }

    private static String entryName(String variable) {
        return variable.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static List<Step> step(List<Step> here, String name) {
        return Step.plus(here, new Step.OfEntry(name));
    }

    @Override
    public Optional<Below> below() {
        return Optional.of(new Below(".<name>", "_<NAME>", value));
    }
}
