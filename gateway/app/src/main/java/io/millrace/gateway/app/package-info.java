/** The server program: wiring, startup and shutdown of data plane, control plane, cache and jobs. */
@NullMarked
package io.millrace.gateway.app;

import org.jspecify.annotations.NullMarked;
