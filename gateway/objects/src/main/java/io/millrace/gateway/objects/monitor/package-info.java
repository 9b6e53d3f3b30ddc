/** Meters, warnings and traffic statistics for operators. */
@NullMarked
package io.millrace.gateway.objects.monitor;

import org.jspecify.annotations.NullMarked;
