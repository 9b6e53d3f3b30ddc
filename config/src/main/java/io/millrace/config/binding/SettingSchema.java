package io.millrace.config.binding;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The schema of a setting: binds a parsed {@link SettingsNode} to a value. */
sealed interface SettingSchema
        permits ScalarSchema, RecordSchema, ListSchema, MapSchema, OptionalSchema, VariantSchema {
    /** Binds {@code tree} to a value; null after its problems were reported. */
    @Nullable Object bind(SettingsNode tree, String path, BindingContext binding);

    /** Returns the value to use if nothing valid is written; empty if there is none. */
    default Optional<Object> emptyValue() {
        return Optional.empty();
    }

    /** Returns the type name for operators: {@code list of sizes}; for a choice, the words in backticks. */
    String typeName();

    /** Whether one environment variable can hold the whole value. */
    default boolean isScalar() {
        return false;
    }

    /**
     * Returns the paths at or below this one that the rest of a variable name may refer to.
     *
     * @param rest the rest of the name, {@code DISKS_0_PATH}; empty if it ends here
     * @param tree the current tree, whose list elements and map entries can be named; null if there is none
     */
    Stream<List<SettingPathStep>> findPaths(String rest, @Nullable SettingsNode tree, List<SettingPathStep> here);

    /** Returns the shape inside a list, map or optional. */
    default Optional<NestedSchema> nested() {
        return Optional.empty();
    }

    /**
     * The shape of values inside another.
     *
     * @param path suffix of their key paths, as {@code []}
     * @param variable suffix of their environment variables, as {@code _<N>}
     */
    record NestedSchema(String path, String variable, SettingSchema shape) {}

    /** Reports that {@code tree} is of the wrong kind or blank. Returns null, as {@link #bind} does after a problem. */
    static @Nullable Object reportMismatch(
            SettingsNode tree, String path, BindingContext binding, String expected, String remedy) {
        if (SettingsNode.isBlank(tree)) {
            binding.report().add(tree.place(), path, "", "has no value", remedy + "; or remove the key");
        } else {
            binding.report().add(tree.place(), path, "", "is " + tree.kind() + ", not " + expected, remedy);
        }
        return null;
    }
}
