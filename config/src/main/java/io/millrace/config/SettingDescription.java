package io.millrace.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Annotates a component of a settings record with the description, default and example of its settings key, for the
 * reader of the file and for the reference page. Every component of a settings record has this annotation or {@link
 * FlatSettings}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface SettingDescription {
    /** The text of the reference page, in sentences: what the key does and why to change it. */
    String value();

    /**
     * The default, as the operator would write it: {@code 1MiB}, {@code [a, b]}, {@code ""} in quotes for an empty
     * string. If this is empty there is none: an {@code Optional}, list or map is then empty, a record has its own
     * defaults, and any other key is required.
     */
    String defaultValue() default "";

    /** An example for the reference page and for remedies, if the type alone does not say enough. */
    String example() default "";

    /** The form of the value in words, as {@link ValueForm} has it, where the type itself has no such annotation. */
    String form() default "";
}
