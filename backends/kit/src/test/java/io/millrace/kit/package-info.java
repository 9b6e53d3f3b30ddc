/** Tests of dates, and of the XML stack. */
@NullMarked
package io.millrace.kit;

import org.jspecify.annotations.NullMarked;
