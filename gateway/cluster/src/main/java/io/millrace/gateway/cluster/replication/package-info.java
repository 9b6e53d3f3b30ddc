/** What a member owes to the others: announcements of its writes, and what each of them has missed. */
@NullMarked
package io.millrace.gateway.cluster.replication;

import org.jspecify.annotations.NullMarked;
