package io.millrace.config.binding;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Function that combines settings in force with newly read ones: it takes over only what a reload applies. */
public final class ReloadableSettings {
    private ReloadableSettings() {}

    /**
     * Returns the settings that are in force after a reload: {@code loaded}, but with the values of {@code current} for
     * all keys that need a restart.
     *
     * @throws IllegalArgumentException if the combination is invalid, though both are valid
     */
    public static <S extends Record> S combine(S current, S loaded) {
        return combine(current, loaded, false);
    }

    private static <S extends Record> S combine(@Nullable S current, S loaded, boolean isReloadable) {
        if (loaded.equals(current)) {
            return loaded;
        }
        List<Object> values = new ArrayList<>();
        for (RecordComponent component : loaded.getClass().getRecordComponents()) {
            Object value = SettingsRecords.read(loaded, component);
            @Nullable Object before = current == null ? unset(value) : SettingsRecords.read(current, component);
            values.add(value(before, value, SettingsRecords.isReloadable(component, isReloadable)));
        }
        return SettingsRecords.rebuild(loaded, values);
    }

    private static Object value(@Nullable Object current, Object loaded, boolean isReloadable) {
        if (loaded instanceof Record settings && SettingsRecords.isSettings(settings)) {
            return combine(
                    current != null && current.getClass() == settings.getClass() ? (Record) current : null,
                    settings,
                    isReloadable);
        }
        if (loaded instanceof Optional<?> section
                && section.orElse(null) instanceof Record settings
                && current instanceof Optional<?> before
                && before.isPresent()) {
            return Optional.of(value(before.get(), settings, isReloadable));
        }
        if (!isReloadable) {
            return current == null ? loaded : current;
        }
        return loaded instanceof List<?> list && current instanceof List<?> before ? elements(before, list) : loaded;
    }

    private static List<?> elements(List<?> current, List<?> loaded) {
        List<String> names = SettingsRecords.names(loaded);
        List<String> before = SettingsRecords.names(current);
        List<Object> combined = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            int index = before.indexOf(names.get(i));
            combined.add(value(index < 0 ? null : current.get(index), loaded.get(i), true));
        }
        return names.isEmpty() ? loaded : combined;
    }

    /** Returns what a key of a new element has until the restart that it needs. */
    private static @Nullable Object unset(Object value) {
        if (value instanceof Optional) {
            return Optional.empty();
        }
        return value instanceof List ? List.of() : null;
    }
}
