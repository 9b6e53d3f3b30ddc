package io.millrace.config.binding;

import io.millrace.config.SettingsVariant;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.problem.ClosestMatch;
import io.millrace.config.problem.InvalidValueException;
import io.millrace.config.problem.SettingPath;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Schema of a polymorphic mapping in the settings, whose key {@code type} selects the record for the other keys. */
record VariantSchema(String family, Map<String, RecordSchema> records, Optional<RecordSchema> shared)
        implements SettingSchema {
    /** The key that selects the record. */
    static final String TYPE = "type";

    /** Returns the shape of a family. */
    static VariantSchema of(String family, SettingsVariantRegistry variants) {
        Map<String, RecordSchema> records = new LinkedHashMap<>();
        variants.records(family).forEach((type, record) -> records.put(type, new RecordSchema(record, variants)));
        Optional<RecordSchema> shared = variants.shared(family).map(record -> new RecordSchema(record, variants));
        return new VariantSchema(family, records, shared);
    }

    @Override
    public @Nullable Object bind(SettingsNode tree, String path, BindingContext binding) {
        if (!(tree instanceof SettingsNode.Mapping mapping)) {
            return SettingSchema.reportMismatch(
                    tree, path, binding, "a mapping of keys to values", "write type: " + types());
        }
        binding.report().remember(path, mapping.place());
        @Nullable String type = type(mapping, SettingPath.child(path, TYPE), binding);
        @Nullable RecordSchema record = type == null ? null : records.get(type);
        if (type == null || record == null) {
            return null;
        }
        List<String> others = Stream.concat(Stream.of(TYPE), sharedNames()).toList();
        Predicate<String> isOwn = name -> !others.contains(name);
        @Nullable Record settings = record.bindKeys(keys(mapping, isOwn), path, binding, others);
        if (shared.isEmpty()) {
            return settings == null ? null : new SettingsVariant(type, settings);
        }
        List<String> names = sharedNames().toList();
        @Nullable Record common = shared.get().bindKeys(keys(mapping, names::contains), path, binding, List.of());
        return settings == null || common == null ? null : new SettingsVariant(type, settings, Optional.of(common));
    }

    private Stream<String> sharedNames() {
        return shared.stream().flatMap(record -> record.keys().stream()).flatMap(key -> key.names().stream());
    }

    private @Nullable String type(SettingsNode.Mapping mapping, String path, BindingContext binding) {
        @Nullable SettingsNode tree = mapping.entries().get(TYPE);
        if (tree == null) {
            binding.report().add(mapping.place(), path, "", "is required", "add type: " + types());
            return null;
        }
        ScalarSchema word =
                new ScalarSchema(new ValueType("type", "write " + types(), (text, folder) -> requireType(text)));
        return (String) word.bind(tree, path, binding);
    }

    private String requireType(String type) throws InvalidValueException {
        if (!records.containsKey(type)) {
            String near = ClosestMatch.find(type, records.keySet())
                    .map(other -> "did you mean " + other + "? ")
                    .orElse("");
            throw new InvalidValueException("is not a type of " + family, near + "write " + types());
        }
        return type;
    }

    private static SettingsNode.Mapping keys(SettingsNode.Mapping mapping, Predicate<String> names) {
        Map<String, SettingsNode> selected = new LinkedHashMap<>(mapping.entries());
        selected.keySet().removeIf(names.negate());
        return new SettingsNode.Mapping(mapping.place(), selected);
    }

    private String types() {
        return ChoiceFormatter.join(records.keySet());
    }

    @Override
    public String typeName() {
        return family;
    }

    /** Searches all types, so that a key that the selected type lacks is reported with the name of the variable. */
    @Override
    public Stream<List<SettingPathStep>> findPaths(
            String rest, @Nullable SettingsNode tree, List<SettingPathStep> here) {
        if (rest.equals(EnvironmentVariableName.of(TYPE))) {
            return Stream.of(
                    SettingPathStep.plus(here, new SettingPathStep.KeyStep(TYPE, Optional.empty(), Optional.empty())));
        }
        return Stream.concat(records.values().stream(), shared.stream())
                .flatMap(record -> record.findPaths(rest, tree, here))
                .collect(Collectors.toMap(
                        SettingPathStep::path, steps -> steps, (first, same) -> first, LinkedHashMap::new))
                .values()
                .stream();
    }
}
