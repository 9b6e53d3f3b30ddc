package io.millrace.config.binding;

import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.SelfValidatingSettings;
import io.millrace.config.source.SettingsNode;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Schema of a mapping in the settings with fixed keys, which is bound to a settings record. Resolves its keys lazily,
 * because a record may contain itself.
 */
final class RecordSchema implements SettingSchema {
    private final Class<? extends Record> type;
    private final SettingsVariantRegistry variants;
    private @Nullable List<SettingDefinition> keys;

    RecordSchema(Class<? extends Record> type, SettingsVariantRegistry variants) {
        this.type = type;
        this.variants = variants;
    }

    /** Returns the record class. */
    Class<? extends Record> type() {
        return type;
    }

    /** Returns its keys, in declaration order. */
    List<SettingDefinition> keys() {
        if (keys == null) {
            keys = SettingDefinition.of(type, variants);
        }
        return keys;
    }

    @Override
    public @Nullable Object bind(SettingsNode tree, String path, BindingContext binding) {
        if (SettingsNode.isBlank(tree)) {
            return bindKeys(new SettingsNode.Mapping(tree.place(), new LinkedHashMap<>()), path, binding, List.of());
        }
        if (tree instanceof SettingsNode.Mapping mapping) {
            return bindKeys(mapping, path, binding, List.of());
        }
        String keys = String.join(", ", names(List.of()));
        return SettingSchema.reportMismatch(
                tree, path, binding, "a mapping of keys to values", "write its keys below it: " + keys);
    }

    /**
     * Binds the keys of {@code mapping}.
     *
     * @param others keys that the caller reads
     */
    @Nullable Record bindKeys(SettingsNode.Mapping mapping, String path, BindingContext binding, List<String> others) {
        binding.report().remember(path, mapping.place());
        new UnknownKeyCheck(names(others), binding).reportAll(mapping, path);
        List<Object> values = new ArrayList<>();
        for (SettingDefinition key : keys()) {
            if (others.contains(key.name())) {
                throw new IllegalStateException(type.getName() + " cannot have a key " + key.name());
            }
            @Nullable Object value = key.bind(mapping, path, binding);
            if (value != null) {
                values.add(value);
            }
        }
        return values.size() < keys().size() ? null : checked(make(values, path, binding), path, binding);
    }

    private List<String> names(List<String> others) {
        List<String> names = new ArrayList<>(others);
        keys().forEach(key -> names.addAll(key.names()));
        return names;
    }

    private @Nullable Record make(List<Object> values, String path, BindingContext binding) {
        try {
            return constructor().newInstance(values.toArray());
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof IllegalArgumentException refusal)) {
                throw new IllegalStateException("cannot make " + type.getName(), e.getCause());
            }
            String what = refusal.getMessage() == null ? "is refused" : refusal.getMessage();
            binding.report().addRejected(path, what, "correct the values of its keys");
            return null;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make " + type.getName(), e);
        }
    }

    private Constructor<? extends Record> constructor() throws NoSuchMethodException {
        Class<?>[] parameters = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        Constructor<? extends Record> constructor = type.getDeclaredConstructor(parameters);
        constructor.setAccessible(true);
        return constructor;
    }

    private static @Nullable Record checked(@Nullable Record made, String path, BindingContext binding) {
        if (made instanceof SelfValidatingSettings checked) {
            checked.check(new ProblemReporter(binding.report(), path));
        }
        return made;
    }

    @Override
    public String typeName() {
        return "keys";
    }

    @Override
    public Stream<List<SettingPathStep>> findPaths(
            String rest, @Nullable SettingsNode tree, List<SettingPathStep> here) {
        SettingsNode.@Nullable Mapping mapping = tree instanceof SettingsNode.Mapping present ? present : null;
        return rest.isEmpty() ? Stream.empty() : keys().stream().flatMap(key -> key.findPaths(rest, mapping, here));
    }
}
