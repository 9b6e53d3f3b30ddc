/**
 * The commands that send requests to a running Millrace: they submit, follow and control jobs and show its status. They
 * use the control API like any other client and depend on no package of the server.
 *
 * <p>A short command starts a JVM of its own, so what it loads is most of what it costs: Jackson's streams without its
 * binding, and the JDK's older HTTP client, which does not look at TLS before it is asked for. {@link JvmMemoryPlan} is
 * what the launcher asks before it starts the server's JVM.
 */
@NullMarked
package io.millrace.gateway.cli;

import org.jspecify.annotations.NullMarked;
