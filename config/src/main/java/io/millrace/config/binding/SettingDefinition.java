package io.millrace.config.binding;

import io.millrace.config.Reloadable;
import io.millrace.config.SettingDescription;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.problem.ProblemCollector;
import io.millrace.config.problem.SettingPath;
import io.millrace.config.problem.SourceLocation;
import java.lang.reflect.RecordComponent;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The definition of one setting, a component of a settings record: its name, schema and description.
 *
 * @param owner the record, for messages to developers
 * @param name as the operator writes it
 * @param defaultValue as the operator would write it; empty if there is none
 * @param reload whether a reload of the settings file applies it; empty if that is as for the record
 */
record SettingDefinition(
        Class<?> owner,
        String name,
        SettingSchema shape,
        SettingDescription setting,
        String defaultValue,
        Optional<Boolean> reload)
        implements RecordPart {
    /**
     * Returns the key of a component.
     *
     * @param defaults the defaults of keys that differ from those of their descriptions
     */
    static SettingDefinition of(
            RecordComponent component, SettingsVariantRegistry variants, Map<String, String> defaults) {
        @Nullable SettingDescription setting = component.getAnnotation(SettingDescription.class);
        if (setting == null) {
            throw new IllegalStateException(component.getDeclaringRecord().getName() + "." + component.getName()
                    + " has no @SettingDescription: every key must be described");
        }
        String name = SettingPath.kebab(component.getName());
        return new SettingDefinition(
                component.getDeclaringRecord(),
                name,
                SchemaFactory.of(component, setting, variants),
                setting,
                defaults.getOrDefault(name, setting.defaultValue()),
                Optional.ofNullable(component.getAnnotation(Reloadable.class)).map(Reloadable::value));
    }

    @Override
    public List<SettingDefinition> keys() {
        return List.of(this);
    }

    /** Returns the names that set it: two for a secret. */
    List<String> names() {
        return isSecret() ? List.of(name, InlineOrFileSecret.fileKey(name)) : List.of(name);
    }

    /** Whether its value is a secret, which may also be in a file of its own. */
    boolean isSecret() {
        SettingSchema value = shape instanceof OptionalSchema optional ? optional.value() : shape;
        return value instanceof ScalarSchema scalar && scalar.isSecret();
    }

    /** Whether the operator must set it. */
    boolean isRequired() {
        return defaultValue.isEmpty() && shape.emptyValue().isEmpty() && !(shape instanceof RecordSchema);
    }

    @Override
    public @Nullable Object bindFrom(SettingsNode.Mapping mapping, String parent, BindingContext binding) {
        if (names().stream().noneMatch(mapping.entries()::containsKey)) {
            return bindAbsent(mapping.place(), SettingPath.child(parent, name), binding);
        }
        @Nullable Object bound = isSecret() ? secret(mapping, parent, binding) : bindWritten(mapping, parent, binding);
        return bound == null ? fallback(binding) : bound;
    }

    private @Nullable Object bindWritten(SettingsNode.Mapping mapping, String parent, BindingContext binding) {
        @Nullable SettingsNode tree = mapping.entries().get(name);
        return tree == null ? null : shape.bind(tree, SettingPath.child(parent, name), binding);
    }

    private @Nullable Object secret(SettingsNode.Mapping mapping, String parent, BindingContext binding) {
        @Nullable Object secret = InlineOrFileSecret.bind(name, mapping, parent, binding);
        return secret != null && shape instanceof OptionalSchema ? Optional.of(secret) : secret;
    }

    private @Nullable Object bindAbsent(SourceLocation place, String path, BindingContext binding) {
        if (isRequired()) {
            binding.report().add(place, path, "", "is required", "add " + sample());
            return null;
        }
        if (shape instanceof RecordSchema && defaultValue.isEmpty()) {
            return shape.bind(new SettingsNode.Mapping(place, new LinkedHashMap<>()), path, binding);
        }
        return fallback(binding);
    }

    /** The line that an operator would add. */
    private String sample() {
        String value = setting.example().isEmpty() ? "<" + shape.typeName().replace("`", "") + ">" : setting.example();
        return name + ": " + value + (isSecret() ? ", or " + InlineOrFileSecret.fileKey(name) + ": <path>" : "");
    }

    private @Nullable Object fallback(BindingContext binding) {
        Optional<SettingsNode> preset = defaultTree();
        return preset.isEmpty() ? shape.emptyValue().orElse(null) : byDefault(preset.get(), binding.forDefault());
    }

    private Object byDefault(SettingsNode preset, BindingContext binding) {
        @Nullable Object value = shape.bind(preset, name, binding);
        if (value == null || !binding.report().isEmpty()) {
            throw new IllegalStateException(
                    "the default of " + owner.getName() + " " + name + " is none",
                    binding.report().exception());
        }
        return value;
    }

    /**
     * Binds the default, to check it.
     *
     * @throws IllegalStateException if it is not a value of its type
     */
    void verifyDefault(BindingContext binding) {
        defaultTree().ifPresent(preset -> byDefault(preset, binding.forDefault()));
    }

    /** Returns the default as a tree; empty if there is none. */
    Optional<SettingsNode> defaultTree() {
        if (defaultValue.isEmpty()) {
            return Optional.empty();
        }
        String source = "default of " + name;
        // Only these characters begin YAML: a bare * or a Windows path is a literal default.
        return "[{\"'".indexOf(defaultValue.charAt(0)) < 0
                ? Optional.of(SettingsNode.Scalar.literal(new SourceLocation(source, 0), defaultValue))
                : new YamlReader(source, new ProblemCollector()).read(defaultValue);
    }

    /** Returns the paths at or below this key that the rest of a variable name may refer to. */
    Stream<List<SettingPathStep>> findPaths(
            String rest, SettingsNode.@Nullable Mapping mapping, List<SettingPathStep> here) {
        if (!isSecret()) {
            return below(rest, mapping, new SettingPathStep.KeyStep(name, defaultTree(), Optional.empty()), here);
        }
        String file = InlineOrFileSecret.fileKey(name);
        return Stream.concat(
                below(rest, mapping, new SettingPathStep.KeyStep(name, Optional.empty(), Optional.of(file)), here),
                below(rest, mapping, new SettingPathStep.KeyStep(file, Optional.empty(), Optional.of(name)), here));
    }

    private Stream<List<SettingPathStep>> below(
            String rest,
            SettingsNode.@Nullable Mapping mapping,
            SettingPathStep.KeyStep step,
            List<SettingPathStep> here) {
        @Nullable SettingsNode written = mapping == null ? null : mapping.entries().get(step.name());
        @Nullable SettingsNode tree = written == null ? step.defaultTree().orElse(null) : written;
        return EnvironmentVariableName.remainder(EnvironmentVariableName.of(step.name()), rest).stream()
                .flatMap(below -> shape.findPaths(below, tree, SettingPathStep.plus(here, step)));
    }
}
