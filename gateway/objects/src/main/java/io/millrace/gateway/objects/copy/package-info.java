/** Copies whose bytes go through the gateway. */
@NullMarked
package io.millrace.gateway.objects.copy;

import org.jspecify.annotations.NullMarked;
