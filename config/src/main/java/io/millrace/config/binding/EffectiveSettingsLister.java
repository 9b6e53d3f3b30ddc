package io.millrace.config.binding;

import io.millrace.config.FlatSettings;
import io.millrace.config.SettingsVariant;
import io.millrace.config.problem.SettingPath;
import io.millrace.config.problem.SubstitutedText;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Lists settings records as keys and values, with secrets and the passwords of URLs redacted. Settings without a value
 * are left out.
 */
public final class EffectiveSettingsLister {
    private final List<Entry> entries = new ArrayList<>();
    private final boolean byName;

    /**
     * A key and its value, or an element of a map or list, whose keys follow it.
     *
     * @param value equal for equal settings, also where the texts hide a difference; for an element its path
     * @param text with secrets redacted
     * @param isElement whether it is an element
     * @param isReloadable whether a reload of the settings file applies it
     */
    public record Entry(String path, Object value, String text, boolean isElement, boolean isReloadable) {}

    private EffectiveSettingsLister(boolean byName) {
        this.byName = byName;
    }

    /** Returns the keys and values of a settings record, in the order of its components. */
    public static List<EffectiveSetting> of(Record settings) {
        EffectiveSettingsLister found = new EffectiveSettingsLister(false);
        found.addRecord("", settings, false);
        return found.entries.stream()
                .filter(entry -> !entry.isElement())
                .map(entry -> new EffectiveSetting(entry.path(), entry.text()))
                .toList();
    }

    /**
     * Returns the entries of a settings record, in the order of its components. The paths of named elements of a list
     * have the name and not the index: {@code buckets[imagenet].prefix}.
     */
    public static List<Entry> entries(Record settings) {
        EffectiveSettingsLister found = new EffectiveSettingsLister(true);
        found.addRecord("", settings, false);
        return List.copyOf(found.entries);
    }

    private void addRecord(String path, Record settings, boolean isReloadable) {
        for (RecordComponent component : settings.getClass().getRecordComponents()) {
            Object value = SettingsRecords.read(settings, component);
            if (component.isAnnotationPresent(FlatSettings.class)) {
                addRecord(path, (Record) value, isReloadable);
            } else {
                add(
                        SettingPath.child(path, SettingPath.kebab(component.getName())),
                        value,
                        SettingsRecords.isReloadable(component, isReloadable));
            }
        }
    }

    private void add(String path, Object value, boolean isReloadable) {
        if (value instanceof Optional<?> optional) {
            optional.ifPresent(present -> addOptional(path, present, isReloadable));
        } else if (value instanceof SettingsVariant variant) {
            add(SettingPath.child(path, "type"), variant.type(), isReloadable);
            addRecord(path, variant.settings(), isReloadable);
            variant.shared().ifPresent(shared -> addRecord(path, shared, isReloadable));
        } else if (value instanceof Map<?, ?> map) {
            addMap(path, map, isReloadable);
        } else if (value instanceof Collection<?> list) {
            addList(path, List.copyOf(list), isReloadable);
        } else if (value instanceof Record settings && SettingsRecords.isSettings(settings)) {
            addRecord(path, settings, isReloadable);
        } else {
            entries.add(new Entry(path, value, text(value), false, isReloadable));
        }
    }

    /** A section that needs a restart to come or go, but not to change, is an element. */
    private void addOptional(String path, Object present, boolean isReloadable) {
        boolean changes = present instanceof Record settings
                && Stream.of(settings.getClass().getRecordComponents())
                        .anyMatch(component -> SettingsRecords.isReloadable(component, isReloadable));
        if (changes && !isReloadable) {
            addElement(path, present, false);
        } else {
            add(path, present, isReloadable);
        }
    }

    private void addMap(String path, Map<?, ?> map, boolean isReloadable) {
        Map<String, Object> sorted = new TreeMap<>();
        map.forEach((key, value) -> sorted.put(String.valueOf(key), value));
        sorted.forEach((key, value) -> addElement(SettingPath.child(path, key), value, isReloadable));
    }

    private void addList(String path, List<?> list, boolean isReloadable) {
        if (list.stream().noneMatch(one -> one instanceof Record settings && SettingsRecords.isSettings(settings))) {
            String text = list.stream().map(EffectiveSettingsLister::text).collect(Collectors.joining(", "));
            entries.add(new Entry(path, list, text, false, isReloadable));
            return;
        }
        List<String> names = byName ? SettingsRecords.names(list) : List.of();
        for (int i = 0; i < list.size(); i++) {
            String element = names.isEmpty() ? SettingPath.element(path, i) : path + '[' + names.get(i) + ']';
            addElement(element, list.get(i), isReloadable);
        }
    }

    private void addElement(String path, Object value, boolean isReloadable) {
        entries.add(new Entry(path, path, "", true, isReloadable));
        add(path, value, isReloadable);
    }

    static String text(Object value) {
        if (value instanceof Duration duration) {
            return duration.toString().substring(2).toLowerCase(Locale.ROOT);
        }
        if (value instanceof Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
        if (value instanceof Record wrapper && isPlainWrapper(wrapper)) {
            return wrapped(SettingsRecords.read(wrapper, wrapper.getClass().getRecordComponents()[0]));
        }
        return SubstitutedText.printable(String.valueOf(value));
    }

    /** Returns whether the record has one component and no text of its own. */
    private static boolean isPlainWrapper(Record value) {
        return value.getClass().getRecordComponents().length == 1
                && value.toString().startsWith(value.getClass().getSimpleName() + '[');
    }

    /** Returns the text of a value record, such as a bucket name or the statements of a policy. */
    private static String wrapped(Object value) {
        if (value instanceof List<?> statements) {
            return statements.size() + (statements.size() == 1 ? " entry" : " entries");
        }
        if (value instanceof Collection<?> words) {
            return words.isEmpty()
                    ? "none"
                    : words.stream().map(EffectiveSettingsLister::text).sorted().collect(Collectors.joining(","));
        }
        return text(value);
    }
}
