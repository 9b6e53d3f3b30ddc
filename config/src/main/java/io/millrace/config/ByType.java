package io.millrace.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a component that holds {@link Typed} values, as {@code Map<String, Typed>}: each value has a key {@code type} that
 * chooses the record for its other keys, out of those {@link Variants} knows for the family.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface ByType {
    /** The family in {@link Variants}, a singular noun that also stands in messages: {@code backend}. */
    String family();
}
