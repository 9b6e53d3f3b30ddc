/** Tests of the backend that is another Millrace. */
@NullMarked
package io.millrace.backend.millrace;

import org.jspecify.annotations.NullMarked;
