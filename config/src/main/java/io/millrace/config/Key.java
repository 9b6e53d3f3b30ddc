package io.millrace.config;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A key of a settings record.
 *
 * @param owner the record, for messages to ourselves
 * @param name as the operator writes it
 */
record Key(Class<?> owner, String name, Shape shape, Setting setting) {
    private static final Pattern HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

    /** The keys of a record, in its order. */
    static List<Key> of(Class<? extends Record> type, Variants variants) {
        return Arrays.stream(type.getRecordComponents())
                .map(component -> of(component, variants))
                .toList();
    }

    private static Key of(RecordComponent component, Variants variants) {
        @Nullable Setting setting = component.getAnnotation(Setting.class);
        if (setting == null) {
            throw new IllegalStateException(component.getDeclaringRecord().getName() + "." + component.getName()
                    + " has no @Setting: every key is explained");
        }
        Shape shape = Shapes.of(component, setting, variants);
        return new Key(component.getDeclaringRecord(), kebab(component.getName()), shape, setting);
    }

    /** {@code blockSize} as {@code block-size}. */
    static String kebab(String camelCase) {
        return HUMP.matcher(camelCase).replaceAll("-").toLowerCase(Locale.ROOT);
    }

    /** The names it can be written with: two for a secret. */
    List<String> names() {
        return isSecret() ? List.of(name, SecretKey.fileKey(name)) : List.of(name);
    }

    /** Whether its value may also stand in a file of its own. */
    boolean isSecret() {
        return shape instanceof SecretShape
                || (shape instanceof OptionalShape optional && optional.value() instanceof SecretShape);
    }

    /** Whether it must be written. */
    boolean isRequired() {
        return setting.byDefault().isEmpty() && shape.nothing().isEmpty() && !(shape instanceof RecordShape);
    }

    /** The value for the record, or null after a problem was reported. */
    @Nullable Object bind(Tree.Mapping mapping, String parent, Binding binding) {
        if (names().stream().noneMatch(mapping.entries()::containsKey)) {
            return absent(mapping.place(), KeyPath.child(parent, name), binding);
        }
        @Nullable Object bound = isSecret() ? secret(mapping, parent, binding) : written(mapping, parent, binding);
        return bound == null ? fallback(binding) : bound;
    }

    private @Nullable Object written(Tree.Mapping mapping, String parent, Binding binding) {
        @Nullable Tree tree = mapping.entries().get(name);
        return tree == null ? null : shape.bind(tree, KeyPath.child(parent, name), binding);
    }

    private @Nullable Object secret(Tree.Mapping mapping, String parent, Binding binding) {
        @Nullable Object secret = SecretKey.bind(name, mapping, parent, binding);
        return secret != null && shape instanceof OptionalShape ? Optional.of(secret) : secret;
    }

    private @Nullable Object absent(Place place, String path, Binding binding) {
        if (isRequired()) {
            binding.report().add(place, path, "", "is required", "add " + sample());
            return null;
        }
        if (shape instanceof RecordShape && setting.byDefault().isEmpty()) {
            return shape.bind(new Tree.Mapping(place, new LinkedHashMap<>()), path, binding);
        }
        return fallback(binding);
    }

    /** The line an operator would add. */
    private String sample() {
        String value = setting.example().isEmpty() ? "<" + shape.word().replace("`", "") + ">" : setting.example();
        return name + ": " + value + (isSecret() ? ", or " + SecretKey.fileKey(name) + ": <path>" : "");
    }

    private @Nullable Object fallback(Binding binding) {
        Optional<Tree> preset = preset();
        return preset.isEmpty() ? shape.nothing().orElse(null) : byDefault(preset.get(), binding.forDefault());
    }

    private Object byDefault(Tree preset, Binding binding) {
        @Nullable Object value = shape.bind(preset, name, binding);
        if (value == null || !binding.report().isEmpty()) {
            throw new IllegalStateException(
                    "the default of " + owner.getName() + " " + name + " is none",
                    binding.report().exception());
        }
        return value;
    }

    /**
     * Binds the default once, needed or not.
     *
     * @throws IllegalStateException if it is no value of its type
     */
    void verifyDefault(Binding binding) {
        preset().ifPresent(preset -> byDefault(preset, binding.forDefault()));
    }

    /** The default as the file would have it. */
    Optional<Tree> preset() {
        String text = setting.byDefault();
        if (text.isEmpty()) {
            return Optional.empty();
        }
        String source = "default of " + name;
        // Only what begins so is YAML: a bare * or a Windows path is not, and is a fine default.
        return "[{\"'".indexOf(text.charAt(0)) < 0
                ? Optional.of(Tree.Scalar.literal(new Place(source, 0), text))
                : new YamlReader(source, new Report()).read(text);
    }

    /** The places at or below this key that the rest of a variable's name may mean. */
    Stream<List<Step>> find(String rest, Tree.@Nullable Mapping mapping, List<Step> here) {
        if (!isSecret()) {
            return below(rest, mapping, new Step.OfKey(name, preset(), Optional.empty()), here);
        }
        String file = SecretKey.fileKey(name);
        return Stream.concat(
                below(rest, mapping, new Step.OfKey(name, Optional.empty(), Optional.of(file)), here),
                below(rest, mapping, new Step.OfKey(file, Optional.empty(), Optional.of(name)), here));
    }

    private Stream<List<Step>> below(String rest, Tree.@Nullable Mapping mapping, Step.OfKey step, List<Step> here) {
        @Nullable Tree written = mapping == null ? null : mapping.entries().get(step.name());
        @Nullable Tree tree = written == null ? step.preset().orElse(null) : written;
        return VariableName.after(VariableName.of(step.name()), rest).stream()
                .flatMap(below -> shape.find(below, tree, Step.plus(here, step)));
    }
}
