/** The program: command line, settings, wiring, control plane, first run. */
@NullMarked
package io.millrace.gateway.app;

import org.jspecify.annotations.NullMarked;
