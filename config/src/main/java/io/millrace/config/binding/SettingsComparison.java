package io.millrace.config.binding;

import io.millrace.config.binding.EffectiveSettingsLister.Entry;
import io.millrace.config.binding.SettingChange.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of two versions of the settings, key by key, with secrets redacted. An element that is new or gone is one
 * change.
 */
public final class SettingsComparison {
    private final Map<String, Entry> before;
    private final Map<String, Entry> after;
    private final List<SettingChange> changes = new ArrayList<>();

    private SettingsComparison(Record before, Record after) {
        this.before = byPath(EffectiveSettingsLister.entries(before));
        this.after = byPath(EffectiveSettingsLister.entries(after));
    }

    /**
     * Returns the changes from one version to the other, in the order of the reference page; what is gone comes last.
     */
    public static List<SettingChange> between(Record before, Record after) {
        SettingsComparison comparison = new SettingsComparison(before, after);
        comparison.addNewAndChanged();
        comparison.addRemoved();
        comparison.addReordered();
        return List.copyOf(comparison.changes);
    }

    private static Map<String, Entry> byPath(List<Entry> entries) {
        Map<String, Entry> byPath = new LinkedHashMap<>();
        entries.forEach(entry -> byPath.put(entry.path(), entry));
        return byPath;
    }

    private void addNewAndChanged() {
        String added = "";
        for (Entry entry : after.values()) {
            @Nullable Entry old = before.get(entry.path());
            // Of a new element a reload leaves out the keys that need a restart.
            if (isBelow(entry.path(), added)
                    && (entry.isReloadable() || entry.text().isEmpty())) {
                continue;
            }
            if (old == null) {
                add(entry, Kind.ADDED, "", entry.text());
                added = entry.isElement() ? entry.path() : added;
            } else if (!old.value().equals(entry.value())) {
                add(entry, Kind.CHANGED, old.text(), entry.text());
            }
        }
    }

    private void addRemoved() {
        String removed = "";
        for (Entry entry : before.values()) {
            if (!after.containsKey(entry.path()) && !isBelow(entry.path(), removed)) {
                add(entry, Kind.REMOVED, entry.text(), "");
                removed = entry.isElement() ? entry.path() : removed;
            }
        }
    }

    /** Adds the lists whose common elements have another order, which counts where the first that matches applies. */
    private void addReordered() {
        List<Entry> elements = common(after, before);
        List<Entry> others = common(before, after);
        Map<String, SettingChange> reordered = new LinkedHashMap<>();
        for (int i = 0; i < elements.size(); i++) {
            Entry element = elements.get(i);
            if (!element.equals(others.get(i))) {
                String list =
                        element.path().substring(0, Math.max(0, element.path().lastIndexOf('[')));
                reordered.putIfAbsent(list, new SettingChange(list, Kind.REORDERED, "", "", !element.isReloadable()));
            }
        }
        changes.addAll(reordered.values());
    }

    private static List<Entry> common(Map<String, Entry> of, Map<String, Entry> with) {
        return of.values().stream()
                .filter(entry -> entry.isElement() && with.containsKey(entry.path()))
                .toList();
    }

    private void add(Entry entry, Kind kind, String from, String to) {
        changes.add(new SettingChange(entry.path(), kind, from, to, !entry.isReloadable()));
    }

    private static boolean isBelow(String path, String element) {
        return !element.isEmpty() && (path.startsWith(element + '.') || path.startsWith(element + '['));
    }
}
