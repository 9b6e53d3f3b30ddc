/** Tests of the commands. */
@NullMarked
package io.millrace.loadgen.command;

import org.jspecify.annotations.NullMarked;
