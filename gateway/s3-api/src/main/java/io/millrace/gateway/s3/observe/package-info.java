/** Meters, access log and traffic history of requests. */
@NullMarked
package io.millrace.gateway.s3.observe;

import org.jspecify.annotations.NullMarked;
