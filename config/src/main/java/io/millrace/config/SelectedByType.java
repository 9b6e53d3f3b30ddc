package io.millrace.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a settings record component that is polymorphic: the key {@code type} in the settings selects the record for
 * the other keys. The component's type contains {@link SettingsVariant}, as {@code Map<String, SettingsVariant>}; the
 * records are those that {@link SettingsVariantRegistry} has for the family.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface SelectedByType {
    /** The family in {@link SettingsVariantRegistry}: a singular noun that messages use, as {@code backend}. */
    String family();
}
