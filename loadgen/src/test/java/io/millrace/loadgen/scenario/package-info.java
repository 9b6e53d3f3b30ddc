/** Tests of scenarios. */
@NullMarked
package io.millrace.loadgen.scenario;

import org.jspecify.annotations.NullMarked;
