/** Limits and permissions that the machine gives this process, whatever its settings say. */
@NullMarked
package io.millrace.config.machine;

import org.jspecify.annotations.NullMarked;
