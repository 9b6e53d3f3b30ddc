package io.millrace.config;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A mapping with keys that we know. Finds its keys when first asked, since a record may contain itself. */
final class RecordShape implements Shape {
    private final Class<? extends Record> type;
    private final Variants variants;
    private @Nullable List<Key> keys;

    RecordShape(Class<? extends Record> type, Variants variants) {
        this.type = type;
        this.variants = variants;
    }

    /** The record. */
    Class<? extends Record> type() {
        return type;
    }

    /** Its keys, in the order of the record. */
    List<Key> keys() {
        if (keys == null) {
            keys = Key.of(type, variants);
        }
        return keys;
    }

    @Override
    public @Nullable Object bind(Tree tree, String path, Binding binding) {
        if (Tree.isBlank(tree)) {
            return bindKeys(new Tree.Mapping(tree.place(), new LinkedHashMap<>()), path, binding, List.of());
        }
        if (tree instanceof Tree.Mapping mapping) {
            return bindKeys(mapping, path, binding, List.of());
        }
        String keys = String.join(", ", names(List.of()));
        return Shape.refuse(tree, path, binding, "a mapping of keys to values", "write its keys below it: " + keys);
    }

    /**
     * Binds the keys of {@code mapping}.
     *
     * @param others keys that are read elsewhere
     */
    @Nullable Record bindKeys(Tree.Mapping mapping, String path, Binding binding, List<String> others) {
        binding.report().visit(path, mapping.place());
        new UnknownKey(names(others), binding).reportAll(mapping, path);
        List<Object> values = new ArrayList<>();
        for (Key key : keys()) {
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

    private @Nullable Record make(List<Object> values, String path, Binding binding) {
        try {
            return constructor().newInstance(values.toArray());
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof IllegalArgumentException refusal)) {
                throw new IllegalStateException("cannot make " + type.getName(), e.getCause());
            }
            String what = refusal.getMessage() == null ? "is refused" : refusal.getMessage();
            binding.report().addRefused(path, what, "correct the values of its keys");
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

    private static @Nullable Record checked(@Nullable Record made, String path, Binding binding) {
        if (made instanceof Checked checked) {
            checked.check(new Problems(binding.report(), path));
        }
        return made;
    }

    @Override
    public String word() {
        return "keys";
    }

    @Override
    public Stream<List<Step>> find(String rest, @Nullable Tree tree, List<Step> here) {
        Tree.@Nullable Mapping mapping = tree instanceof Tree.Mapping there ? there : null;
        return rest.isEmpty() ? Stream.empty() : keys().stream().flatMap(key -> key.find(rest, mapping, here));
    }
}
