package io.millrace.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A variable and the key it means. In order, elements of a list come by their index, so that each can be the next.
 *
 * @param way not empty
 */
record Assignment(String variable, String value, List<Step> way) implements Comparable<Assignment> {
    /** Puts the value into {@code root}; makes what is missing on the way. */
    void applyTo(Tree.Mapping root, Report report) {
        Tree at = root;
        for (int i = 0; i < way.size(); i++) {
            boolean last = i == way.size() - 1;
            @Nullable Tree next = step(at, way.get(i), last ? null : way.get(i + 1), report);
            if (next == null) {
                return;
            }
            at = next;
        }
    }

    /** One step on from {@code at}; null if there is no way on. What is in the way is reported when it is bound. */
    private @Nullable Tree step(Tree at, Step step, @Nullable Step next, Report report) {
        if (step instanceof Step.OfElement element) {
            return at instanceof Tree.Sequence list ? element(list, element.index(), next, report) : null;
        }
        if (!(at instanceof Tree.Mapping mapping)) {
            return null;
        }
        if (step instanceof Step.OfKey key) {
            key.preset().ifPresent(preset -> mapping.entries().putIfAbsent(key.name(), preset));
            key.rival().ifPresent(rival -> removeWritten(mapping, rival));
            return entry(mapping, key.name(), next);
        }
        return entry(mapping, ((Step.OfEntry) step).name(), next);
    }

    private @Nullable Tree element(Tree.Sequence list, int index, @Nullable Step next, Report report) {
        int size = list.elements().size();
        if (index > size) {
            String what = "the variable means element " + index + ", and the list has " + size;
            report.add(place(), Step.path(way), "", what, "number on without a gap: " + size + " is the next");
            return null;
        }
        if (index == size) {
            list.elements().add(fresh(next));
        } else {
            list.elements().set(index, ready(list.elements().get(index), next));
        }
        return list.elements().get(index);
    }

    private Tree entry(Tree.Mapping mapping, String name, @Nullable Step next) {
        Map<String, Tree> entries = mapping.entries();
        @Nullable Tree old = entries.get(name);
        Tree tree = old == null ? fresh(next) : ready(old, next);
        entries.put(name, tree);
        return tree;
    }

    /** What the file has, made fit for the next step; the value itself where there is none. */
    private Tree ready(Tree old, @Nullable Step next) {
        if (next == null || Tree.isBlank(old)) {
            return fresh(next);
        }
        if (next instanceof Step.OfElement && old instanceof Tree.Scalar) {
            return new Tree.Sequence(old.place(), new ArrayList<>(List.of(old)));
        }
        return old;
    }

    private Tree fresh(@Nullable Step next) {
        if (next == null) {
            return Tree.Scalar.literal(place(), value);
        }
        return next instanceof Step.OfElement
                ? new Tree.Sequence(place(), new ArrayList<>())
                : new Tree.Mapping(place(), new LinkedHashMap<>());
    }

    /** The other form of a secret goes if the file has it. If the environment has both, that is a mistake to report. */
    private static void removeWritten(Tree.Mapping mapping, String rival) {
        @Nullable Tree tree = mapping.entries().get(rival);
        if (tree != null && !tree.place().isVariable()) {
            mapping.entries().remove(rival);
        }
    }

    private Place place() {
        return Place.variable(variable);
    }

    @Override
    public int compareTo(Assignment other) {
        for (int i = 0; i < Math.min(way.size(), other.way.size()); i++) {
            int order = compare(way.get(i), other.way.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(way.size(), other.way.size());
    }

    private static int compare(Step a, Step b) {
        return a instanceof Step.OfElement left && b instanceof Step.OfElement right
                ? Integer.compare(left.index(), right.index())
                : a.from("").compareTo(b.from(""));
    }
}
