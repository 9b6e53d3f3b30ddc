package io.millrace.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a component of a settings record that is polymorphic: its key {@code type} selects the record that its other keys are
 * bound to. The type selects the record for the other keys among those that {@link SettingsVariants} has for the family.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface VariantOf {
    /** The family in {@link SettingsVariants}: a singular noun that messages use, as {@code backend}. */
    String family();
}
