/** The settings file: YAML, variables, secret files. */
@NullMarked
package io.millrace.config.source;

import org.jspecify.annotations.NullMarked;
