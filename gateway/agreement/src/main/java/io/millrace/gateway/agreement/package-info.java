/** The map on which the members of a cluster agree: small, and it outlives any minority of the voters that keep it. */
@NullMarked
package io.millrace.gateway.agreement;

import org.jspecify.annotations.NullMarked;
