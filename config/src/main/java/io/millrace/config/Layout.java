package io.millrace.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * All records of the settings and where they stand, in declaration order.
 *
 * @param sections each record at each of its places
 */
record Layout(List<Section> sections) {
    /**
     * A record at one place.
     *
     * @param path key path with {@code []} for an index and {@code <name>} for a chosen name; empty for the root
     * @param variable what the environment variables of its keys begin with, {@code MILLRACE_CACHE_DISKS_<N>_}
     * @param what what the key says that leads here
     * @param family the family it is a variant of, or empty
     * @param type the type that chooses it, or empty
     * @param keys its keys; none for a family as a whole, whose variants follow
     */
    record Section(String path, String variable, String what, String family, String type, List<Key> keys) {
        /** Whether it stands for a family, before its variants. */
        boolean isFamily() {
            return !family.isEmpty() && type.isEmpty();
        }

        /** Whether {@code keyPath} is one of those its path stands for. */
        boolean isAt(String keyPath) {
            return keyPath.replaceAll("\\[[0-9]+]", "[]")
                    .matches(Pattern.quote(path).replace("<name>", "\\E.+\\Q"));
        }
    }

    /** The layout of the settings with this root. */
    static Layout of(RecordShape root) {
        Walk walk = new Walk(new ArrayList<>(), new ArrayList<>());
        walk.record(root, new Section("", VariableName.PREFIX, "", "", "", List.of()));
        return new Layout(List.copyOf(walk.sections));
    }

    /**
     * Binds all defaults, so that a wrong one is found by the first start and not by the first file without that key.
     *
     * @throws IllegalStateException if one is no value of its type
     */
    void verifyDefaults() {
        Binding binding = new Binding(this, new Substitution(Map.of()), Path.of(""), new Report());
        sections.forEach(section -> section.keys().forEach(key -> key.verifyDefault(binding)));
    }

    /** The records that have a key of this name. */
    List<Section> with(String key) {
        return sections.stream()
                .filter(section ->
                        section.keys().stream().anyMatch(known -> known.names().contains(key)))
                .toList();
    }

    /**
     * @param open the records on the way from the root, each entered once: a record may contain itself
     */
    private record Walk(List<Section> sections, List<Class<?>> open) {
        void record(RecordShape shape, Section at) {
            if (open.contains(shape.type())) {
                return;
            }
            open.add(shape.type());
            List<Key> keys = shape.keys();
            sections.add(new Section(at.path(), at.variable(), at.what(), at.family(), at.type(), keys));
            for (Key key : keys) {
                String path = KeyPath.child(at.path(), key.name());
                shape(
                        key.shape(),
                        path,
                        at.variable() + VariableName.of(key.name()),
                        key.setting().value());
            }
            open.remove(shape.type());
        }

        private void shape(Shape shape, String path, String variable, String what) {
            if (shape instanceof RecordShape record) {
                record(record, new Section(path, variable + "_", what, "", "", List.of()));
            } else if (shape instanceof VariantShape variant) {
                family(variant, path, variable + "_", what);
            }
            shape.below()
                    .ifPresent(below -> shape(below.shape(), path + below.path(), variable + below.variable(), what));
        }

        private void family(VariantShape variants, String path, String variable, String what) {
            String family = variants.family();
            sections.add(new Section(path, variable, what, family, "", List.of()));
            variants.records()
                    .forEach((type, record) ->
                            record(record, new Section(path, variable, what, family, type, List.of())));
        }
    }
}
