/** Small state of a cluster's member that outlasts its process. */
@NullMarked
package io.millrace.gateway.cluster.store;

import org.jspecify.annotations.NullMarked;
