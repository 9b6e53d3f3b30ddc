package io.millrace.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Annotates a component of a settings record that is a settings record itself, whose keys stand among those of the
 * record, without a key for the component. Several records have the same keys that way. {@link Reloadable} annotates
 * the keys.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface FlatSettings {
    /** The defaults here of keys for which the record has another, or none. */
    Default[] defaults() default {};

    /** The default of one key. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target({})
    @interface Default {
        /** The key, as the operator would write it. */
        String key();

        /** The default, in the form of {@link SettingDescription#defaultValue}. */
        String value();
    }
}
