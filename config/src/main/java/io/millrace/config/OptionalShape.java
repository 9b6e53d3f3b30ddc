package io.millrace.config;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A value that may be left out without having a default. */
record OptionalShape(Shape value) implements Shape {
    @Override
    public @Nullable Object bind(Tree tree, String path, Binding binding) {
        @Nullable Object bound = value.bind(tree, path, binding);
        return bound == null ? null : Optional.of(bound);
    }

    @Override
    public Optional<Object> nothing() {
        return Optional.of(Optional.empty());
    }

    @Override
    public String word() {
        return value.word();
    }

    @Override
    public boolean isSingle() {
        return value.isSingle();
    }

    @Override
    public Stream<List<Step>> find(String rest, @Nullable Tree tree, List<Step> here) {
        return value.find(rest, tree, here);
    }

    @Override
    public Optional<Below> below() {
        return Optional.of(new Below("", "", value));
    }
}
