package io.millrace.config.binding;

import io.millrace.config.problem.ProblemCollector;
import io.millrace.config.problem.SourceLocation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An environment variable and the path of the setting that it overrides. Sorts list elements by index, so that each can
 * be appended.
 *
 * @param path the path from the root, not empty
 */
record VariableAssignment(String variable, String value, List<SettingPathStep> path)
        implements Comparable<VariableAssignment> {
    /** Sets the value in {@code root}; creates missing mappings and lists on the path. */
    void applyTo(SettingsNode.Mapping root, ProblemCollector report) {
        SettingsNode at = root;
        for (int i = 0; i < path.size(); i++) {
            boolean last = i == path.size() - 1;
            @Nullable SettingsNode next = step(at, path.get(i), last ? null : path.get(i + 1), report);
            if (next == null) {
                return;
            }
            at = next;
        }
    }

    /** Goes one step from {@code at}; null if the tree has another kind of node there, which binding reports. */
    private @Nullable SettingsNode step(
            SettingsNode at, SettingPathStep step, @Nullable SettingPathStep next, ProblemCollector report) {
        if (step instanceof SettingPathStep.ElementStep element) {
            return at instanceof SettingsNode.Sequence list ? element(list, element.index(), next, report) : null;
        }
        if (!(at instanceof SettingsNode.Mapping mapping)) {
            return null;
        }
        if (step instanceof SettingPathStep.KeyStep key) {
            key.defaultTree().ifPresent(preset -> mapping.entries().putIfAbsent(key.name(), preset));
            key.alternative().ifPresent(rival -> removeWritten(mapping, rival));
            return entry(mapping, key.name(), next);
        }
        return entry(mapping, ((SettingPathStep.EntryStep) step).name(), next);
    }

    private @Nullable SettingsNode element(
            SettingsNode.Sequence list, int index, @Nullable SettingPathStep next, ProblemCollector report) {
        int size = list.elements().size();
        if (index > size) {
            String what = "the variable means element " + index + ", and the list has " + size;
            report.add(
                    place(), SettingPathStep.path(path), "", what, "number on without a gap: " + size + " is the next");
            return null;
        }
        if (index == size) {
            list.elements().add(fresh(next));
        } else {
            list.elements().set(index, ready(list.elements().get(index), next));
        }
        return list.elements().get(index);
    }

    private SettingsNode entry(SettingsNode.Mapping mapping, String name, @Nullable SettingPathStep next) {
        Map<String, SettingsNode> entries = mapping.entries();
        @Nullable SettingsNode old = entries.get(name);
        SettingsNode tree = old == null ? fresh(next) : ready(old, next);
        entries.put(name, tree);
        return tree;
    }

    /** Returns the node of the file, converted for the next step; the value itself at the end of the path. */
    private SettingsNode ready(SettingsNode old, @Nullable SettingPathStep next) {
        if (next == null || SettingsNode.isBlank(old)) {
            return fresh(next);
        }
        if (next instanceof SettingPathStep.ElementStep && old instanceof SettingsNode.Scalar) {
            return new SettingsNode.Sequence(old.place(), new ArrayList<>(List.of(old)));
        }
        return old;
    }

    private SettingsNode fresh(@Nullable SettingPathStep next) {
        if (next == null) {
            return SettingsNode.Scalar.literal(place(), value);
        }
        return next instanceof SettingPathStep.ElementStep
                ? new SettingsNode.Sequence(place(), new ArrayList<>())
                : new SettingsNode.Mapping(place(), new LinkedHashMap<>());
    }

    /** Removes the other form of a secret if the file has it. If the environment has both, binding reports it. */
    private static void removeWritten(SettingsNode.Mapping mapping, String rival) {
        @Nullable SettingsNode tree = mapping.entries().get(rival);
        if (tree != null && !tree.place().isVariable()) {
            mapping.entries().remove(rival);
        }
    }

    private SourceLocation place() {
        return SourceLocation.variable(variable);
    }

    @Override
    public int compareTo(VariableAssignment other) {
        for (int i = 0; i < Math.min(path.size(), other.path.size()); i++) {
            int order = compare(path.get(i), other.path.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(path.size(), other.path.size());
    }

    private static int compare(SettingPathStep a, SettingPathStep b) {
        return a instanceof SettingPathStep.ElementStep left && b instanceof SettingPathStep.ElementStep right
                ? Integer.compare(left.index(), right.index())
                : a.appendTo("").compareTo(b.appendTo(""));
    }
}
