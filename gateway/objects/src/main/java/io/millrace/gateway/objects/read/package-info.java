/** Reads of objects: the decision between cache and backend, and its report in {@code Cache-Status}. */
@NullMarked
package io.millrace.gateway.objects.read;

import org.jspecify.annotations.NullMarked;
