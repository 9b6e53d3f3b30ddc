/** Limits that the machine sets to this process, whatever its settings say. */
@NullMarked
package io.millrace.config.machine;

import org.jspecify.annotations.NullMarked;
