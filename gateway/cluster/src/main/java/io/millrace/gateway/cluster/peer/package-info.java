/** Messages between the members of a cluster, and the ways in which they are sent, timed and applied. */
@NullMarked
package io.millrace.gateway.cluster.peer;

import org.jspecify.annotations.NullMarked;
