package io.millrace.config.binding;

import io.millrace.config.problem.SettingPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Schema of a list in the settings, which parses each element by the element's own schema. A list of single values may
 * be written as its only value. Invalid elements are left out.
 */
record ListSchema(SettingSchema element) implements SettingSchema {
    /** Indexes up to 9999, more elements than anybody sets by variables. */
    private static final Pattern INDEX = Pattern.compile("(0|[1-9][0-9]{0,3})(?:_(.+))?");

    @Override
    public @Nullable Object bind(SettingsNode tree, String path, BindingContext binding) {
        if (SettingsNode.isBlank(tree)) {
            return List.of();
        }
        if (tree instanceof SettingsNode.Sequence sequence) {
            return elements(sequence, path, binding);
        }
        if (tree instanceof SettingsNode.Scalar && element.isScalar()) {
            @Nullable Object only = element.bind(tree, path, binding);
            return only == null ? null : List.of(only);
        }
        return SettingSchema.reportMismatch(
                tree, path, binding, "a list", "begin each element with a dash, or write [ ... ]");
    }

    private List<Object> elements(SettingsNode.Sequence sequence, String path, BindingContext binding) {
        List<Object> bound = new ArrayList<>();
        for (int i = 0; i < sequence.elements().size(); i++) {
            @Nullable Object value = element.bind(sequence.elements().get(i), SettingPath.element(path, i), binding);
            if (value != null) {
                bound.add(value);
            }
        }
        return List.copyOf(bound);
    }

    @Override
    public Optional<Object> emptyValue() {
        return Optional.of(List.of());
    }

    @Override
    public String typeName() {
        return "list of " + element.typeName() + (element.typeName().endsWith("`") ? "" : "s");
    }

    @Override
    public boolean isScalar() {
        return element.isScalar();
    }

    @Override
    public Stream<List<SettingPathStep>> findPaths(
            String rest, @Nullable SettingsNode tree, List<SettingPathStep> here) {
        if (rest.isEmpty()) {
            return isScalar() ? Stream.of(here) : Stream.empty();
        }
        Matcher name = INDEX.matcher(rest);
        if (!name.matches()) {
            return Stream.empty();
        }
        int index = Integer.parseInt(name.group(1));
        String below = name.group(2) == null ? "" : name.group(2);
        return element.findPaths(
                below, elementAt(index, tree), SettingPathStep.plus(here, new SettingPathStep.ElementStep(index)));
    }

    private static @Nullable SettingsNode elementAt(int index, @Nullable SettingsNode tree) {
        return tree instanceof SettingsNode.Sequence sequence
                        && index < sequence.elements().size()
                ? sequence.elements().get(index)
                : null;
    }

    @Override
    public Optional<NestedSchema> nested() {
        return Optional.of(new NestedSchema("[]", "_<N>", element));
    }
}
