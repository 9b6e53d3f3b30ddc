package io.millrace.config;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What can stand at a key: how it is read from a {@link Tree}, and which environment variables reach into it. */
sealed interface Shape permits ScalarShape, SecretShape, RecordShape, ListShape, MapShape, OptionalShape, VariantShape {
    /** The value that {@code tree} means, or null after its problems were reported. */
    @Nullable Object bind(Tree tree, String path, Binding binding);

    /** The value that stands for nothing: where nothing is written, or nothing that can be used. */
    default Optional<Object> nothing() {
        return Optional.empty();
    }

    /** What it is, as an operator says it: {@code list of sizes}; choices between words have these in backticks. */
    String word();

    /** Whether one environment variable can hold all of it. */
    default boolean isSingle() {
        return false;
    }

    /**
     * The places below this one that the rest of a variable's name may mean.
     *
     * @param rest what the name has after this place, {@code DISKS_0_PATH}; empty if it ends here
     * @param tree what is there now, whose list elements and map entries can be named; null if nothing
     */
    Stream<List<Step>> find(String rest, @Nullable Tree tree, List<Step> here);

    /** The values inside a list, map or optional. */
    default Optional<Below> below() {
        return Optional.empty();
    }

    /**
     * Values inside another.
     *
     * @param path what key paths have for them, as {@code []}
     * @param variable what names of environment variables have for them, as {@code _<N>}
     */
    record Below(String path, String variable, Shape shape) {}

    /** Reports that {@code tree} is of the wrong kind, or blank. Returns null, for the value that cannot be made. */
    static @Nullable Object refuse(Tree tree, String path, Binding binding, String expected, String remedy) {
        if (Tree.isBlank(tree)) {
            binding.report().add(tree.place(), path, "", "has no value", remedy + "; or take the key out");
        } else {
            binding.report().add(tree.place(), path, "", "is " + tree.kind() + ", not " + expected, remedy);
        }
        return null;
    }
}
