/** Tests of the programs that try others. */
@NullMarked
package io.millrace.loadgen;

import org.jspecify.annotations.NullMarked;
