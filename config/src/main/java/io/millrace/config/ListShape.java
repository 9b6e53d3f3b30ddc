package io.millrace.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A list; one of single values may also be written as its only value. Broken elements are left out. */
record ListShape(Shape element) implements Shape {
    /** More elements than anybody names one by one; four digits are always an index. */
    private static final Pattern INDEX = Pattern.compile("(0|[1-9][0-9]{0,3})(?:_(.+))?");

    @Override
    public @Nullable Object bind(Tree tree, String path, Binding binding) {
        if (Tree.isBlank(tree)) {
            return List.of();
        }
        if (tree instanceof Tree.Sequence sequence) {
            return elements(sequence, path, binding);
        }
        if (tree instanceof Tree.Scalar && element.isSingle()) {
            @Nullable Object only = element.bind(tree, path, binding);
            return only == null ? null : List.of(only);
        }
        return Shape.refuse(tree, path, binding, "a list", "begin each element with a dash, or write [ ... ]");
    }

    private List<Object> elements(Tree.Sequence sequence, String path, Binding binding) {
        List<Object> bound = new ArrayList<>();
        for (int i = 0; i < sequence.elements().size(); i++) {
            @Nullable Object value = element.bind(sequence.elements().get(i), KeyPath.element(path, i), binding);
            if (value != null) {
                bound.add(value);
            }
        }
        return List.copyOf(bound);
    }

    @Override
    public Optional<Object> nothing() {
        return Optional.of(List.of());
    }

    @Override
    public String word() {
        return "list of " + element.word() + (element.word().endsWith("`") ? "" : "s");
    }

    @Override
    public boolean isSingle() {
        return element.isSingle();
    }

    @Override
    public Stream<List<Step>> find(String rest, @Nullable Tree tree, List<Step> here) {
        if (rest.isEmpty()) {
            return isSingle() ? Stream.of(here) : Stream.empty();
        }
        Matcher name = INDEX.matcher(rest);
        if (!name.matches()) {
            return Stream.empty();
        }
        int index = Integer.parseInt(name.group(1));
        String below = name.group(2) == null ? "" : name.group(2);
        return element.find(below, elementAt(index, tree), Step.plus(here, new Step.OfElement(index)));
    }

    private static @Nullable Tree elementAt(int index, @Nullable Tree tree) {
        return tree instanceof Tree.Sequence sequence
                        && index < sequence.elements().size()
                ? sequence.elements().get(index)
                : null;
    }

    @Override
    public Optional<Below> below() {
        return Optional.of(new Below("[]", "_<N>", element));
    }
}
