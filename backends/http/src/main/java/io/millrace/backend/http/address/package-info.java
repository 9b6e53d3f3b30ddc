/** Connections that reach only addresses that a policy permits. */
@NullMarked
package io.millrace.backend.http.address;

import org.jspecify.annotations.NullMarked;
