/** What a member holds of the others: their leases, and their announcements as far as they are applied. */
@NullMarked
package io.millrace.gateway.cluster.lease;

import org.jspecify.annotations.NullMarked;
