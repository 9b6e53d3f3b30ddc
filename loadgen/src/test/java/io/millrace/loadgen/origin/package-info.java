/** Tests of the origin and the link. */
@NullMarked
package io.millrace.loadgen.origin;

import org.jspecify.annotations.NullMarked;
