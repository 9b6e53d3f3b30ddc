/** Problems in settings: where they are, what is wrong, what to do. */
@NullMarked
package io.millrace.config.problem;

import org.jspecify.annotations.NullMarked;
