package io.millrace.config.binding;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Schema of an optional value in the settings that has no default. */
record OptionalSchema(SettingSchema value) implements SettingSchema {
    @Override
    public @Nullable Object bind(SettingsNode tree, String path, BindingContext binding) {
        @Nullable Object bound = value.bind(tree, path, binding);
        return bound == null ? null : Optional.of(bound);
    }

    @Override
    public Optional<Object> emptyValue() {
        return Optional.of(Optional.empty());
    }

    @Override
    public String typeName() {
        return value.typeName();
    }

    @Override
    public boolean isScalar() {
        return value.isScalar();
    }

    @Override
    public Stream<List<SettingPathStep>> findPaths(
            String rest, @Nullable SettingsNode tree, List<SettingPathStep> here) {
        return value.findPaths(rest, tree, here);
    }

    @Override
    public Optional<NestedSchema> nested() {
        return Optional.of(new NestedSchema("", "", value));
    }
}
