package io.millrace.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a record component whose {@link SettingsVariant} values have a key {@code type}, as {@code Map<String, Typed>}. The type selects the
 * record for the other keys among those that {@link SettingsVariants} has for the family.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface VariantOf {
    /** The family in {@link SettingsVariants}: a singular noun that messages use, as {@code backend}. */
    String family();
}
