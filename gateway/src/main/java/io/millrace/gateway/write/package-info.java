/** Operations that write or delete objects in one request. */
@NullMarked
package io.millrace.gateway.write;

import org.jspecify.annotations.NullMarked;
