/** Parsers of single settings values. */
@NullMarked
package io.millrace.config.value;

import org.jspecify.annotations.NullMarked;
