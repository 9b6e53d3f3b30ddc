/** A backend that fails as a test plans it. */
@NullMarked
package io.millrace.backend.testkit.fault;

import org.jspecify.annotations.NullMarked;
