/** Tests of the XML stack. */
@NullMarked
package io.millrace.backend.http.xml;

import org.jspecify.annotations.NullMarked;
