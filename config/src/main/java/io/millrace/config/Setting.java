package io.millrace.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Explains one key of the operator's file. Every component of a settings record has one. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
    /** What it is and why one would change it, in sentences: the text of the reference page. */
    String value();

    /**
     * The value without one in the file, as the operator would write it: {@code 1MiB}, {@code [a, b]}, {@code ""} in
     * quotes for an empty text. Nothing here means none: an {@code Optional}, list or map is then empty, a record is
     * made of its own defaults, and anything else is required.
     */
    String byDefault() default "";

    /** A value to show on the reference page and in remedies, where the type alone does not say enough. */
    String example() default "";
}
