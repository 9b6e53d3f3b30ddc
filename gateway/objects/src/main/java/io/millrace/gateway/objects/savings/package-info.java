/** Savings of the cache: requests, bytes and cost per bucket that backends were spared. */
@NullMarked
package io.millrace.gateway.objects.savings;

import org.jspecify.annotations.NullMarked;
