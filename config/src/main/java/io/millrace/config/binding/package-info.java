/** Binds a settings file to records, and describes their schema. */
@NullMarked
package io.millrace.config.binding;

import org.jspecify.annotations.NullMarked;
