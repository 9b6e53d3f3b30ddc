/** The one way from a request to a handler: who asks, what for, and whether they may. */
@NullMarked
package io.millrace.gateway.s3.gate;

import org.jspecify.annotations.NullMarked;
