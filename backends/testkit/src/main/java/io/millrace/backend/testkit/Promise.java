package io.millrace.backend.testkit;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a test that fails if a clause of docs/consistency.md does not hold; {@code .ci/pages} writes its name into the
 * page.
 */
@Retention(RetentionPolicy.SOURCE)
@Target(ElementType.METHOD)
public @interface Promise {
    /** Returns the numbers of the clauses, as {@code R1}. */
    String[] value();
}
