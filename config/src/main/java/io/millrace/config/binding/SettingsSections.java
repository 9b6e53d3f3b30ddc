package io.millrace.config.binding;

import io.millrace.config.problem.ProblemCollector;
import io.millrace.config.problem.SettingPath;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The flat list of all sections of the settings; a section is a settings record at the key path where it occurs.
 *
 * @param sections each record at each of its key paths
 */
record SettingsSections(List<Section> sections) {
    /**
     * A record at one key path.
     *
     * @param path key path with {@code []} for an index and {@code <name>} for a chosen name; empty for the root
     * @param variable prefix of the environment variables of its keys, {@code MILLRACE_CACHE_DISKS_<N>_}
     * @param description description of the key that holds the record
     * @param family the family that it is a variant of, or empty
     * @param type the type that selects it, or empty
     * @param keys its keys; none for a family as a whole, whose variants follow
     */
    record Section(
            String path,
            String variable,
            String description,
            String family,
            String type,
            List<SettingDefinition> keys) {
        /** Stands for all types of a family. */
        static final String ANY_TYPE = "any";

        /** Whether it introduces a family, whose variants follow. */
        boolean isFamily() {
            return !family.isEmpty() && type.isEmpty();
        }

        /** Whether {@code keyPath} matches the pattern of its path. */
        boolean isAt(String keyPath) {
            return keyPath.replaceAll("\\[[0-9]+]", "[]")
                    .matches(Pattern.quote(path).replace("<name>", "\\E.+\\Q"));
        }
    }

    /** Returns the layout of the settings with this root. */
    static SettingsSections of(RecordSchema root) {
        Walk walk = new Walk(new ArrayList<>(), new ArrayList<>());
        walk.record(root, new Section("", EnvironmentVariableName.PREFIX, "", "", "", List.of()));
        return new SettingsSections(List.copyOf(walk.sections));
    }

    /**
     * Binds all defaults, so that the first start finds a wrong one.
     *
     * @throws IllegalStateException if a default is not a value of its type
     */
    void verifyDefaults() {
        BindingContext binding =
                new BindingContext(this, new VariableSubstitution(Map.of()), Path.of(""), new ProblemCollector());
        sections.forEach(section -> section.keys().forEach(key -> key.verifyDefault(binding)));
    }

    /** Returns the sections that have a key of this name. */
    List<Section> sectionsWith(String key) {
        return sections.stream()
                .filter(section -> section.keys().stream()
                        .anyMatch(validKeys -> validKeys.names().contains(key)))
                .toList();
    }

    /**
     * Collects the sections.
     *
     * @param open the records on the path from the root, each entered once, because a record may contain itself
     */
    private record Walk(List<Section> sections, List<Class<?>> open) {
        void record(RecordSchema shape, Section at) {
            if (open.contains(shape.type()) || isListed(shape, at)) {
                return;
            }
            open.add(shape.type());
            List<SettingDefinition> keys = shape.keys();
            sections.add(new Section(at.path(), at.variable(), at.description(), at.family(), at.type(), keys));
            for (SettingDefinition key : keys) {
                String path = SettingPath.child(at.path(), key.name());
                shape(
                        key.shape(),
                        path,
                        at.variable() + EnvironmentVariableName.of(key.name()),
                        key.setting().value());
            }
            open.remove(shape.type());
        }

        /** Returns whether another variant of a family has the same record at the same path. */
        private boolean isListed(RecordSchema shape, Section at) {
            return at.type().isEmpty()
                    && sections.stream()
                            .filter(section -> section.path().equals(at.path()))
                            .anyMatch(section -> section.keys().stream().anyMatch(key -> key.owner() == shape.type()));
        }

        private void shape(SettingSchema shape, String path, String variable, String what) {
            if (shape instanceof RecordSchema record) {
                record(record, new Section(path, variable + "_", what, "", "", List.of()));
            } else if (shape instanceof VariantSchema variant) {
                family(variant, path, variable + "_", what);
            }
            shape.nested()
                    .ifPresent(below -> shape(below.shape(), path + below.path(), variable + below.variable(), what));
        }

        private void family(VariantSchema variants, String path, String variable, String what) {
            String family = variants.family();
            sections.add(new Section(path, variable, what, family, "", List.of()));
            variants.shared()
                    .ifPresent(record ->
                            record(record, new Section(path, variable, what, family, Section.ANY_TYPE, List.of())));
            variants.records()
                    .forEach((type, record) ->
                            record(record, new Section(path, variable, what, family, type, List.of())));
        }
    }
}
