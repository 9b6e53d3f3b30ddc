/** What the cache spares backends: requests and bytes of each bucket, and what they would have cost. */
@NullMarked
package io.millrace.gateway.objects.savings;

import org.jspecify.annotations.NullMarked;
