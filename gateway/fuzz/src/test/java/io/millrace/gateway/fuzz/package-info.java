/**
 * Inputs that nobody should send, in any number: each target takes bytes as a request, has the gateway serve it without
 * a socket, and holds what comes of it against a slow and obvious model. {@code bench/fuzz.sh} searches with coverage;
 * the build runs what was kept, and a little more.
 */
@NullMarked
package io.millrace.gateway.fuzz;

import org.jspecify.annotations.NullMarked;
