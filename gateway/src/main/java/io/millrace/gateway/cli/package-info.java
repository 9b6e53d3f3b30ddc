/**
 * The commands that speak to a running Millrace: jobs submitted, followed and steered, its state. A client of the control port's
 * API like any other; it knows nothing of the server's rooms.
 *
 * <p>A short command starts a JVM of its own, so what it loads is most of what it costs: Jackson's streams without its binding,
 * and the JDK's older HTTP client, which does not look at TLS before it is asked for.
 */
@NullMarked
package io.millrace.gateway.cli;

import org.jspecify.annotations.NullMarked;
