package io.millrace.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Annotates a component of a settings record whose key, with all keys below it, takes effect when the settings file is
 * reloaded. Other keys need a restart. The innermost annotation counts.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Reloadable {
    /**
     * False for a key that needs a restart although the keys around it do not. Such a key is an {@code Optional} or a
     * list.
     */
    boolean value() default true;
}
