/** Change events of backends, which invalidate the objects that they name. */
@NullMarked
package io.millrace.gateway.objects.event;

import org.jspecify.annotations.NullMarked;
