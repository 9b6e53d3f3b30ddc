/** Files that hold what Millrace must not lose. */
@NullMarked
package io.millrace.gateway.files;

import org.jspecify.annotations.NullMarked;
