/** Change notifications of backends, which make Millrace revalidate what they name. */
@NullMarked
package io.millrace.gateway.objects.event;

import org.jspecify.annotations.NullMarked;
