/** Tests of the XML stack. */
@NullMarked
package io.millrace.kit.xml;

import org.jspecify.annotations.NullMarked;
