package io.millrace.config.binding;

import io.millrace.config.FlatSettings;
import io.millrace.config.SettingsVariantRegistry;
import io.millrace.config.problem.ProblemReporter;
import io.millrace.config.problem.RefusedSettingException;
import io.millrace.config.problem.SelfValidatingSettings;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Schema of a mapping in the settings with fixed keys, which is bound to a settings record. Resolves its keys lazily,
 * because a record may contain itself.
 */
final class RecordSchema implements SettingSchema, RecordPart {
    private final Class<? extends Record> type;
    private final SettingsVariantRegistry variants;
    private final Map<String, String> defaults;
    private @Nullable List<RecordPart> parts;
    private @Nullable List<SettingDefinition> keys;

    RecordSchema(Class<? extends Record> type, SettingsVariantRegistry variants) {
        this(type, variants, Map.of());
    }

    /**
     * @param defaults the defaults of keys that differ from those of their descriptions
     */
    RecordSchema(Class<? extends Record> type, SettingsVariantRegistry variants, Map<String, String> defaults) {
        this.type = type;
        this.variants = variants;
        this.defaults = defaults;
    }

    /** Returns the record class. */
    Class<? extends Record> type() {
        return type;
    }

    @Override
    public List<SettingDefinition> keys() {
        if (keys == null) {
            List<SettingDefinition> all =
                    parts().stream().flatMap(part -> part.keys().stream()).toList();
            requireDistinct(all);
            keys = all;
        }
        return keys;
    }

    private List<RecordPart> parts() {
        if (parts == null) {
            parts = Arrays.stream(type.getRecordComponents()).map(this::part).toList();
        }
        return parts;
    }

    private RecordPart part(RecordComponent component) {
        @Nullable FlatSettings flat = component.getAnnotation(FlatSettings.class);
        return flat == null
                ? SettingDefinition.of(component, variants, defaults)
                : new RecordSchema(component.getType().asSubclass(Record.class), variants, defaults(flat));
    }

    private static Map<String, String> defaults(FlatSettings flat) {
        return Stream.of(flat.defaults())
                .collect(Collectors.toMap(FlatSettings.Default::key, FlatSettings.Default::value));
    }

    private void requireDistinct(List<SettingDefinition> keys) {
        List<String> names = keys.stream().map(SettingDefinition::name).toList();
        if (Set.copyOf(names).size() < names.size() || !names.containsAll(defaults.keySet())) {
            throw new IllegalStateException("%s has two keys of one name, or lacks one of %s: %s"
                    .formatted(type.getName(), defaults.keySet(), names));
        }
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
        for (SettingDefinition key : keys()) {
            if (others.contains(key.name())) {
                throw new IllegalStateException(type.getName() + " cannot have a key " + key.name());
            }
        }
        return bindFrom(mapping, path, binding);
    }

    @Override
    public @Nullable Record bindFrom(SettingsNode.Mapping mapping, String path, BindingContext binding) {
        List<Object> values = new ArrayList<>();
        for (RecordPart part : parts()) {
            @Nullable Object value = part.bindFrom(mapping, path, binding);
            if (value != null) {
                values.add(value);
            }
        }
        return values.size() < parts().size() ? null : checked(make(values, path, binding), path, binding);
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
            if (e.getCause() instanceof RefusedSettingException refusal) {
                refusal.reportTo(new ProblemReporter(binding.report(), path));
                return null;
            }
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
