/** A backend in memory, complete enough for the contract. */
@NullMarked
package io.millrace.backend.testkit.memory;

import org.jspecify.annotations.NullMarked;
