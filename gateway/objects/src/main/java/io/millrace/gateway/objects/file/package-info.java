/** Files that hold what Millrace must not lose. */
@NullMarked
package io.millrace.gateway.objects.file;

import org.jspecify.annotations.NullMarked;
