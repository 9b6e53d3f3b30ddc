/** The command line of the load generator: {@code millrace bench} and the tools of this project's own benchmarks. */
@NullMarked
package io.millrace.loadgen.command;

import org.jspecify.annotations.NullMarked;
