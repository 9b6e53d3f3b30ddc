package io.millrace.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A single value.
 *
 * @param word what it is, as an operator says it
 * @param remedy what to write where it is missing
 */
record ScalarShape(String word, String remedy, Parser parser) implements Shape {
    /** Makes the value out of its text. */
    interface Parser {
        /** The value that {@code text} means; a relative path is relative to {@code folder}. */
        Object parse(String text, Path folder) throws Unfit;
    }

    @Override
    public @Nullable Object bind(Tree tree, String path, Binding binding) {
        if (!(tree instanceof Tree.Scalar scalar) || scalar.blank()) {
            return Shape.refuse(tree, path, binding, "a single value", remedy);
        }
        Optional<Text> text = binding.text(scalar, path, false);
        return text.isEmpty() ? null : parse(text.get(), path, binding);
    }

    private @Nullable Object parse(Text text, String path, Binding binding) {
        try {
            return parser.parse(text.value(), binding.folder());
        } catch (Unfit e) {
            binding.report().addAt(path, e);
            return null;
        }
    }

    @Override
    public boolean isSingle() {
        return true;
    }

    @Override
    public Stream<List<Step>> find(String rest, @Nullable Tree tree, List<Step> here) {
        return rest.isEmpty() ? Stream.of(here) : Stream.empty();
    }
}
