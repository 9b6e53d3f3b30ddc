/**
 * Binds a settings file (YAML, variables, secret files) to records, describes their schema, and compares two versions
 * of the settings for reloads.
 */
@NullMarked
package io.millrace.config.binding;

import org.jspecify.annotations.NullMarked;
