/** Writes through to the backend, fenced so that no later read sees older content. */
@NullMarked
package io.millrace.gateway.objects.write;

import org.jspecify.annotations.NullMarked;
