/** Pages of object lists, cached in memory and made stale by writes. */
@NullMarked
package io.millrace.gateway.objects.listing;

import org.jspecify.annotations.NullMarked;
