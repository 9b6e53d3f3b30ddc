/** Authentication and authorization of requests before they reach a handler. */
@NullMarked
package io.millrace.gateway.s3.gate;

import org.jspecify.annotations.NullMarked;
