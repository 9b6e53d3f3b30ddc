/** Reads and writes of single objects. */
@NullMarked
package io.millrace.backend.file.object;

import org.jspecify.annotations.NullMarked;
