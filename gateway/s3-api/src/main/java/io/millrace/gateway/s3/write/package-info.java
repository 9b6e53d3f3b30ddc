/** Operations that write, copy or delete objects in one request. */
@NullMarked
package io.millrace.gateway.s3.write;

import org.jspecify.annotations.NullMarked;
