/** Scenarios: the objects of a load test and the phases of operations on them, as the file of a user states them. */
@NullMarked
package io.millrace.loadgen.scenario;

import org.jspecify.annotations.NullMarked;
