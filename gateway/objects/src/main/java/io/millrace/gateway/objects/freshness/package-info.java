/** Freshness of cached content: lifetimes, request directives, background refreshes and {@code Cache-Status}. */
@NullMarked
package io.millrace.gateway.objects.freshness;

import org.jspecify.annotations.NullMarked;
