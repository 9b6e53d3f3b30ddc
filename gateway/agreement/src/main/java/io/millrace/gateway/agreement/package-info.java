/** What the members of a cluster agree on: a small map that outlives any minority of the voters that keep it. */
@NullMarked
package io.millrace.gateway.agreement;

import org.jspecify.annotations.NullMarked;
