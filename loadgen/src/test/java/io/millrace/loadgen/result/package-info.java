/** Tests of results. */
@NullMarked
package io.millrace.loadgen.result;

import org.jspecify.annotations.NullMarked;
