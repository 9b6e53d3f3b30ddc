/** Tests of the runner of phases. */
@NullMarked
package io.millrace.loadgen.run;

import org.jspecify.annotations.NullMarked;
