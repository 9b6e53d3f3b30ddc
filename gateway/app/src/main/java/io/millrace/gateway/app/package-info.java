/**
 * The server program: the operator's settings with their checks against this machine, the snapshot that follows from
 * them and its replacement on a reload, backends, certificates of the ports, metrics that are computed when they are
 * read, and startup and shutdown of data plane, control plane, cache and jobs.
 */
@NullMarked
package io.millrace.gateway.app;

import org.jspecify.annotations.NullMarked;
