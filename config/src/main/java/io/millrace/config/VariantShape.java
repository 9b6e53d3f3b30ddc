package io.millrace.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A mapping whose key {@code type} says which other keys it has. */
record VariantShape(String family, Map<String, RecordShape> records, Map<String, String> notYet) implements Shape {
    /** The key that chooses. */
    static final String TYPE = "type";

    /** The shape of a family. */
    static VariantShape of(String family, Variants variants) {
        Map<String, RecordShape> records = new LinkedHashMap<>();
        variants.records(family).forEach((type, record) -> records.put(type, new RecordShape(record, variants)));
        return new VariantShape(family, records, variants.notYet(family));
    }

    @Override
    public @Nullable Object bind(Tree tree, String path, Binding binding) {
        if (!(tree instanceof Tree.Mapping mapping)) {
            return Shape.refuse(tree, path, binding, "a mapping of keys to values", "write type: " + types());
        }
        binding.report().visit(path, mapping.place());
        @Nullable String type = type(mapping, KeyPath.child(path, TYPE), binding);
        @Nullable RecordShape record = type == null ? null : records.get(type);
        if (type == null || record == null) {
            return null;
        }
        @Nullable Record settings = record.bindKeys(others(mapping), path, binding, List.of(TYPE));
        return settings == null ? null : new Typed(type, settings);
    }

    private @Nullable String type(Tree.Mapping mapping, String path, Binding binding) {
        @Nullable Tree tree = mapping.entries().get(TYPE);
        if (tree == null) {
            binding.report().add(mapping.place(), path, "", "is required", "add type: " + types());
            return null;
        }
        ScalarShape word = new ScalarShape("type", "write " + types(), (text, folder) -> known(text));
        return (String) word.bind(tree, path, binding);
    }

    private String known(String type) throws Unfit {
        @Nullable String meanwhile = notYet.get(type);
        if (meanwhile != null) {
            throw new Unfit("is a " + family + " that Millrace does not have yet", meanwhile);
        }
        if (!records.containsKey(type)) {
            String near = Nearest.of(type, records.keySet())
                    .map(other -> "did you mean " + other + "? ")
                    .orElse("");
            throw new Unfit("is no type of " + family, near + "write " + types());
        }
        return type;
    }

    private static Tree.Mapping others(Tree.Mapping mapping) {
        Map<String, Tree> others = new LinkedHashMap<>(mapping.entries());
        others.remove(TYPE);
        return new Tree.Mapping(mapping.place(), others);
    }

    private String types() {
        return OneOf.words(records.keySet());
    }

    @Override
    public String word() {
        return family;
    }

    /** All types together: a key that the chosen one does not have is then reported under the variable's name. */
    @Override
    public Stream<List<Step>> find(String rest, @Nullable Tree tree, List<Step> here) {
        if (rest.equals(VariableName.of(TYPE))) {
            return Stream.of(Step.plus(here, new Step.OfKey(TYPE, Optional.empty(), Optional.empty())));
        }
        return records.values().stream()
                .flatMap(record -> record.find(rest, tree, here))
                .collect(Collectors.toMap(Step::path, steps -> steps, (first, same) -> first, LinkedHashMap::new))
                .values()
                .stream();
    }
}
