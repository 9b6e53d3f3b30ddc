/** What operators see: meters, access log. */
@NullMarked
package io.millrace.gateway.objects.monitor;

import org.jspecify.annotations.NullMarked;
