/** Values that describe objects, versions, ranges and conditions. */
@NullMarked
package io.millrace.backend.spi.object;

import org.jspecify.annotations.NullMarked;
