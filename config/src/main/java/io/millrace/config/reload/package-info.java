/** Comparison and combination of two versions of the settings, for reloads. */
@NullMarked
package io.millrace.config.reload;

import org.jspecify.annotations.NullMarked;
