/** Runs the phases of a scenario: connections, pace, measurements over time and the end. */
@NullMarked
package io.millrace.loadgen.run;

import org.jspecify.annotations.NullMarked;
