package io.millrace.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Annotates a type of settings values with the form that their text has, for remedies. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface ValueForm {
    /** The form in words, as what follows "write": {@code a size with its unit}. */
    String value();

    /** Whether the value may be a mapping in the file, whose JSON is its text then. */
    boolean mapping() default false;
}
