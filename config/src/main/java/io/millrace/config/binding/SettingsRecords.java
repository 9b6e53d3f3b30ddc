package io.millrace.config.binding;

import io.millrace.config.FlatSettings;
import io.millrace.config.Reloadable;
import io.millrace.config.SettingDescription;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Functions on bound settings records: reads, recognizes and rebuilds them by reflection. */
final class SettingsRecords {
    /** The component that names an element of a list. */
    private static final String NAME = "name";

    private SettingsRecords() {}

    /** Returns whether the record is a part of the settings, not a value such as a bucket name. */
    static boolean isSettings(Record value) {
        return Stream.of(value.getClass().getRecordComponents())
                .anyMatch(component -> component.isAnnotationPresent(SettingDescription.class)
                        || component.isAnnotationPresent(FlatSettings.class));
    }

    /**
     * Returns whether a reload applies the component.
     *
     * @param inherited whether a reload applies the record
     */
    static boolean isReloadable(RecordComponent component, boolean inherited) {
        @Nullable Reloadable own = component.getAnnotation(Reloadable.class);
        return own == null ? inherited : own.value();
    }

    /** Returns the names of the elements; empty if one has none, or two have the same. */
    static List<String> names(List<?> elements) {
        List<String> names =
                elements.stream().flatMap(SettingsRecords::name).distinct().toList();
        return names.size() == elements.size() ? names : List.of();
    }

    private static Stream<String> name(Object element) {
        if (!(element instanceof Record settings) || !isSettings(settings)) {
            return Stream.empty();
        }
        return Stream.of(settings.getClass().getRecordComponents())
                .filter(component -> component.getName().equals(NAME))
                .map(component -> EffectiveSettingsLister.text(read(settings, component)));
    }

    /** Returns the value of a component. */
    static Object read(Record settings, RecordComponent component) {
        try {
            Method accessor = component.getAccessor();
            accessor.setAccessible(true); // records of settings may be package-private
            return accessor.invoke(settings);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(component + " cannot be read", e);
        }
    }

    /**
     * Creates a record of the same type.
     *
     * @throws IllegalArgumentException if the record refuses the values
     */
    static <S extends Record> S rebuild(S settings, List<Object> values) {
        Class<?>[] types = Stream.of(settings.getClass().getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        try {
            @SuppressWarnings("unchecked") // the class of a record is that of its type
            Constructor<S> canonical = (Constructor<S>) settings.getClass().getDeclaredConstructor(types);
            canonical.setAccessible(true);
            return canonical.newInstance(values.toArray());
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("settings cannot be combined: " + e.getCause(), e);
        }
    }
}
